import type { DeviceType } from '#contract/telemetry.ts';
import type { PlaceKind } from './places.ts';

export interface KitLine {
  name: string;
  ratedCurrent: number;
  /** A line that must not be opened: fire pumps, emergency light, server rooms. */
  critical: boolean;
  /** Runs only on demand. */
  standby: boolean;
  /** Was opened by remote control some days ago and is still open. */
  open: boolean;
  /** Its capacitors have failed: the power factor of its motors is not compensated. */
  uncompensated: boolean;
}
export interface KitDevice {
  type: DeviceType;
  name: string;
  /** Index of the part within the project. */
  part: number;
  lines: readonly KitLine[];
}

/** Parses `name/rated current in A` with marks: `!` critical, `~` standby, `-` open, `%` uncompensated. */
const lineOf = (text: string): KitLine => {
  const [name = '', rating = ''] = text.split('/');
  return {
    name,
    ratedCurrent: Number.parseInt(rating, 10),
    critical: rating.includes('!'),
    standby: rating.includes('~'),
    open: rating.includes('-'),
    uncompensated: rating.includes('%'),
  };
};
const device = (type: DeviceType, part: number, name: string, lines: string): KitDevice => ({
  type,
  part,
  name,
  lines: lines.split(' ').map(lineOf),
});

/** The ten cabinets of each kind of project. */
export const kits: Record<PlaceKind, readonly KitDevice[]> = {
  office: [
    device(4, 0, 'A座低压配电柜', 'A座照明总路/160 空调主机/250'),
    device(4, 3, '消防动力柜', '消防泵/160!~ 喷淋泵/100!~'),
    device(3, 0, '1F 照明箱', '1F大堂照明/32 1F走廊照明/25 应急照明/16!'),
    device(3, 1, '12F 办公配电箱', '12F照明/32 12F插座/40 茶水间/25-'),
    device(3, 2, 'B座会议区配电箱', '会议室插座/32 投影设备/20'),
    device(2, 0, '电梯谐波治理柜', '客梯群控/125'),
    device(1, 1, '机房稳压滤波器', '弱电机房/40!'),
    device(5, 3, '车库充电探测器', '充电桩1路/40 充电桩2路/40'),
    device(6, 3, '车库配电电弧探测器', '车库总路/100'),
    device(7, 2, 'B座电火宝', 'B座商务区/63'),
  ],
  factory: [
    device(4, 0, '1号车间动力柜', '冲压线/250% 数控机床/160'),
    device(4, 1, '2号车间动力柜', 'SMT贴片线/200 回流焊/125'),
    device(4, 3, '动力站配电柜', '空压机/200 冷却水泵/100 消防泵/125!~'),
    device(3, 4, '办公楼照明箱', '2F照明/32 2F插座/32 应急照明/16!'),
    device(3, 2, '3号车间照明箱', '工位照明/40 检测台/25-'),
    device(2, 0, '变频器谐波治理柜', '变频传动/160'),
    device(2, 1, '贴片线滤波柜', '贴片电源/125'),
    device(6, 2, '3号车间电弧探测器', '注塑机/125'),
    device(5, 4, '办公楼电弧探测器', '3F插座/25 3F照明/25'),
    device(7, 3, '动力站电火宝', '检修电源/63'),
  ],
  dormitory: [
    device(3, 0, '1号楼2层配电箱', '201室/20 202室/20 203室/20 204室/20'),
    device(3, 0, '1号楼3层配电箱', '301室/20 302室/20 303室/20-'),
    device(3, 1, '2号楼2层配电箱', '201室/20 202室/20 203室/20'),
    device(3, 2, '3号楼公共配电箱', '走廊照明/25 应急照明/16! 洗衣房/32'),
    device(4, 3, '食堂动力柜', '厨房灶具/100 冷库/63 排烟风机/40!~'),
    device(5, 0, '1号楼电弧探测器', '东侧插座/32 西侧插座/32'),
    device(5, 1, '2号楼电弧探测器', '东侧插座/32'),
    device(6, 3, '食堂电弧探测器', '食堂总路/125'),
    device(1, 2, '热水机房滤波器', '热水循环泵/40'),
    device(7, 2, '3号楼电火宝', '3号楼总路/100'),
  ],
  mall: [
    device(4, 0, '超市冷链柜', '冷藏柜/125 冷冻库/100!'),
    device(4, 3, '影院配电柜', '放映设备/100 影院空调/160'),
    device(4, 1, '中央空调柜', '空调主机/400 冷却塔/125'),
    device(3, 1, '1F商铺配电箱', '101铺/32 102铺/32 103铺/32-'),
    device(3, 1, '3F商铺配电箱', '301铺/32 302铺/32'),
    device(3, 2, '公共照明箱', '扶梯照明/25 疏散照明/16!'),
    device(2, 1, '灯具谐波治理柜', 'LED大屏/125'),
    device(6, 2, '餐饮电弧探测器', '餐饮总路/160'),
    device(5, 2, '小吃街电弧探测器', '1号档口/25 2号档口/25'),
    device(7, 0, '超市电火宝', '熟食区/63'),
  ],
  hospital: [
    device(4, 2, '医技楼配电柜', 'CT机房/200! 磁共振/200!'),
    device(4, 1, '住院楼动力柜', '病床电梯/100! 空调末端/125'),
    device(4, 3, '后勤动力柜', '消防泵/160!~ 洗衣房/63 锅炉循环泵/63'),
    device(3, 0, '门诊1F照明箱', '挂号大厅照明/32 诊室插座/32 应急照明/16!'),
    device(3, 1, '住院5F配电箱', '护士站/25! 病房照明/32'),
    device(1, 2, '检验科滤波器', '检验仪器/40!'),
    device(2, 2, '影像中心滤波柜', '影像设备/125!'),
    device(5, 0, '门诊电弧探测器', '2F插座/32 3F插座/32'),
    device(6, 1, '住院楼电弧探测器', '住院楼总路/200'),
    device(7, 3, '食堂电火宝', '职工食堂/63'),
  ],
  data_centre: [
    device(4, 0, '1号机房列头柜', 'A列机柜/125! B列机柜/125!'),
    device(4, 1, '2号机房列头柜', 'C列机柜/125! D列机柜/125!'),
    device(4, 2, '配电室出线柜', '精密空调/200! 冷冻水泵/100!'),
    device(3, 3, '运维楼配电箱', '值班室/25 会议室/25 走廊照明/20'),
    device(3, 0, '1号机房辅助箱', '机房照明/20! 备用插座/20-'),
    device(2, 0, '1号机房滤波柜', 'UPS输入一/200!'),
    device(2, 1, '2号机房滤波柜', 'UPS输入二/200!'),
    device(1, 3, '监控中心滤波器', '监控大屏/40'),
    device(6, 2, '配电室电弧探测器', '低压母线/250'),
    device(7, 2, '蓄电池室电火宝', '蓄电池充电/100!'),
  ],
  school: [
    device(3, 0, '教学楼1F配电箱', '1F教室照明/32 1F教室插座/25 应急照明/16!'),
    device(3, 0, '教学楼2F配电箱', '2F教室照明/32 2F教室插座/25'),
    device(3, 1, '实验楼配电箱', '物理实验室/32 化学实验室/32 机房/40'),
    device(4, 2, '体育馆配电柜', '场馆照明/63 空调主机/100-'),
    device(4, 3, '食堂动力柜', '蒸饭车/63 冷库/40'),
    device(5, 0, '教学楼电弧探测器', '3F教室/25 4F教室/25'),
    device(5, 1, '实验楼电弧探测器', '通风柜/32'),
    device(6, 2, '体育馆电弧探测器', '体育馆总路/100'),
    device(1, 1, '计算机房滤波器', '计算机教室/40'),
    device(7, 3, '食堂电火宝', '食堂总路/63'),
  ],
  hotel: [
    device(4, 2, '宴会厅配电柜', '宴会厅灯光/100 舞台音响/63-'),
    device(4, 3, '厨房动力柜', '电磁灶/125 冷库/40! 排油烟机/40'),
    device(4, 0, '机电层配电柜', '空调主机/250 生活水泵/63'),
    device(3, 0, '5F客房配电箱', '501–508房/40 509–516房/40 走廊照明/20'),
    device(3, 1, '12F客房配电箱', '1201–1208房/40 1209–1216房/40'),
    device(3, 2, '大堂配电箱', '大堂照明/32 应急照明/16!'),
    device(1, 1, '弱电井滤波器', '网络机柜/32'),
    device(5, 0, '客房电弧探测器', '6F客房/40 7F客房/40'),
    device(6, 3, '厨房电弧探测器', '厨房总路/160'),
    device(7, 1, '布草间电火宝', '洗涤设备/63'),
  ],
  market: [
    device(4, 2, '冷冻区动力柜', '1号冷库/100! 2号冷库/100!'),
    device(4, 0, '蔬菜区配电柜', 'A区摊位/125 B区摊位/125'),
    device(3, 1, '水果区配电箱', '1排摊位/40 2排摊位/40 3排摊位/40'),
    device(3, 3, '夜市配电箱', '夜市1路/32 夜市2路/32 夜市3路/32-'),
    device(3, 0, '公共照明箱', '顶棚照明/32 应急照明/16!'),
    device(5, 3, '夜市电弧探测器', '烧烤档/32 小吃档/32'),
    device(5, 1, '水果区电弧探测器', '催熟间/25'),
    device(6, 2, '冷冻区电弧探测器', '冷冻区总路/200'),
    device(7, 3, '夜市电火宝', '夜市总路/100'),
    device(2, 2, '压缩机滤波柜', '压缩机组/125'),
  ],
  warehouse: [
    device(4, 3, '充电场配电柜', '叉车充电1/100 叉车充电2/100'),
    device(4, 2, '冷库动力柜', '制冷机组/200! 冷风机/63%'),
    device(3, 0, '1号库照明箱', '库区照明/40 分拣线/40 应急照明/16!'),
    device(3, 1, '2号库照明箱', '库区照明/40 打包台/25-'),
    device(3, 0, '收发货配电箱', '月台照明/25 升降平台/32'),
    device(5, 0, '1号库电弧探测器', '东侧回路/32 西侧回路/32'),
    device(5, 1, '2号库电弧探测器', '东侧回路/32'),
    device(6, 3, '充电场电弧探测器', '充电场总路/200'),
    device(2, 3, '充电机滤波柜', '充电机群/160'),
    device(7, 1, '打包区电火宝', '热缩机/63'),
  ],
  metro_depot: [
    device(4, 0, '检修库动力柜', '架车机/125 天车/100'),
    device(4, 2, '牵引所用电柜', '所用电/63! 直流屏/40!'),
    device(4, 3, '综合楼动力柜', '空调主机/200 消防泵/125!~'),
    device(3, 1, '列检库照明箱', '股道1照明/32 股道2照明/32 股道3照明/32'),
    device(3, 3, '综合楼3F配电箱', '调度室/25! 办公插座/32'),
    device(3, 0, '检修库辅助箱', '工具充电/25 洗车机/40-'),
    device(2, 2, '整流谐波治理柜', '整流辅助/160!'),
    device(6, 0, '检修库电弧探测器', '检修库总路/160'),
    device(5, 1, '列检库电弧探测器', '检查坑照明/20 检查坑插座/25'),
    device(7, 1, '停车库电火宝', '停车库检修/100'),
  ],
  residential: [
    device(3, 2, '电动车棚配电箱', '充电桩1路/32 充电桩2路/32 充电桩3路/32-'),
    device(3, 0, '2号楼单元箱', '楼道照明/16! 电梯机房/40!'),
    device(3, 1, '6号楼单元箱', '楼道照明/16! 地下室/20'),
    device(4, 3, '沿街商铺配电柜', '1–4号铺/100 5–8号铺/100'),
    device(4, 0, '小区动力柜', '生活水泵/63! 消防泵/100!~'),
    device(5, 2, '车棚电弧探测器', '充电1区/32 充电2区/32'),
    device(5, 3, '商铺电弧探测器', '理发店/25 早餐店/25'),
    device(6, 3, '商铺总路电弧探测器', '商铺总路/160'),
    device(7, 2, '车棚电火宝', '车棚总路/63'),
    device(1, 1, '监控室滤波器', '监控设备/32'),
  ],
};

/** In stock: registered and reporting, but not yet bound to a project. */
export const spareDevice: KitDevice = device(3, 0, '备用智能开关', '回路1/40 回路2/40');
