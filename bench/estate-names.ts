import type pg from 'pg';
import { connect, connectPool } from '#database/connect.ts';
import { readRegions } from '#database/seed/regions.ts';
import { learnNames } from '#server/search/names.ts';

const places =
  '深圳 广州 北京 上海 南京 武汉 成都 重庆 西安 杭州 苏州 天津 青岛 大连 厦门 长沙 郑州 济南 福州 合肥';
const districts = '湾 新 东 西 南 北 中 高 龙 华 宝 福 罗 盐 光 明 坪 大 前 万';
const sites =
  '创新大厦 科技园 商业广场 第一医院 实验小学 数据中心 物流园 工业园 花园小区 万达广场 ' +
  '地铁站 体育馆 图书馆 会展中心 酒店 市场 仓库 车间 宿舍楼 办公楼';
const circuits =
  '总进线 一楼照明 二楼照明 空调 插座 水泵 电梯 消防泵 应急照明 厨房 机房 走廊照明 充电桩 风机 热水器';

/** An SQL expression for one of the words, selected by a number. */
const chosen = (words: string, by: string): string => {
  const list = words.split(' ');
  return `(array[${list.map((word) => `'${word}'`).join(',')}])[1 + (${by})::int % ${list.length}]`;
};

/**
 * Chinese names for half of the projects and devices and all lines of an estate, with the real readings of characters:
 * about as many different names as there are rows.
 */
export const furnishChineseNames = async (client: pg.Client, url: string): Promise<void> => {
  await client.query(
    `insert into regions (id, pid, name, latin, code, first, lat, lng, level, merger_name, pinyin, region_code, shortname, path)
     select id, null, name, latin, id::text, 'x', 0, 0, 3, name, pinyin, id::text, shortname, '/' || id || '/'
     from jsonb_to_recordset($1::jsonb) as known (id int, name text, latin text, pinyin text, shortname text)
     on conflict (id) do update set pinyin = excluded.pinyin, shortname = excluded.shortname`,
    [JSON.stringify(readRegions())],
  );
  await client.query(`update projects set name = ${chosen(places, 'id')} || ${chosen(districts, 'id / 20')} ||
    ${chosen(sites, 'id / 400')} || (id % 97) || '期' where id % 2 = 0`);
  await client.query(`update devices set name = ${chosen(districts, 'id')} || ${chosen(sites, 'id / 20')} ||
    (id % 250) || '号' || ${chosen(circuits, 'id / 7')} || '配电箱' where id % 2 = 0`);
  await client.query(`update lines set name = ${chosen(circuits, 'id')} || (id % 6700) || '路' where n > 0`);
  const db = connect(connectPool(url, 1));
  await learnNames(db);
  await db.destroy();
  await client.query('vacuum analyze projects, devices, lines, search_names, regions');
};
