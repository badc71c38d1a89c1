/**
 * Ethnic groups in names of autonomous units; longest first, so that a short one does not match inside a
 * longer one.
 */
const peoples = (
  '柯尔克孜族 哈萨克族 塔吉克族 达斡尔族 鄂温克族 鄂伦春族 维吾尔族 土家族 朝鲜族 蒙古族 布依族 傈僳族 景颇族 拉祜族 布朗族 ' +
  '独龙族 普米族 纳西族 哈尼族 保安族 东乡族 撒拉族 裕固族 仫佬族 毛南族 仡佬族 锡伯族 柯尔克孜 哈萨克 塔吉克 维吾尔 蒙古 锡伯 ' +
  '回族 藏族 壮族 苗族 侗族 瑶族 彝族 白族 傣族 佤族 怒族 羌族 黎族 满族 畲族 土族 水族 各族'
).split(' ');

const cut = (name: string, ending: string, leave: number): string =>
  name.endsWith(ending) && name.length - ending.length >= leave ? name.slice(0, -ending.length) : name;

const withoutPeoples = (name: string): string => {
  const people = peoples.find((each) => cut(name, each, 2) !== name);
  return people ? withoutPeoples(cut(name, people, 2)) : name;
};

/** The name without its rank: 广西壮族自治区 → 广西, 浦东新区 → 浦东; 和县, 矿区 and 巴林左旗 do not change. */
export const shortName = (name: string): string => {
  const autonomous = /^(.+?)(?:自治[区州县旗]|(?<=族)区)$/.exec(name)?.[1];
  if (autonomous) {
    const rest = withoutPeoples(autonomous);
    return rest === autonomous ? cut(rest, '族', 2) : rest;
  }
  if (/(?:矿区|[前中后左右白黄蓝]旗|群岛|海域)$/.test(name)) return name;
  for (const [ending, leave] of [
    ['特别行政区', 2],
    ['地区', 2],
    ['新区', 2],
    ['特区', 2],
    ['林区', 3],
  ] as const) {
    const rest = cut(name, ending, leave);
    if (rest !== name) return rest;
  }
  return name.length > 2 ? name.replace(/[省市区县旗盟]$/, '') : name;
};

/** Local pronunciations that the dictionary of pinyin-pro lacks, as in the official gazetteers. */
export const readings: Record<string, string> = {
  陕西: 'shaan xi',
  乐清: 'yue qing',
  乐亭: 'lao ting',
  乐陵: 'lao ling',
  单县: 'shan xian',
  蔚县: 'yu xian',
  尉犁: 'yu li',
  洪洞: 'hong tong',
  繁峙: 'fan shi',
  六合: 'lu he',
  浚县: 'xun xian',
  泌阳: 'bi yang',
  牟定: 'mou ding',
  大埔: 'da bu',
  涡阳: 'guo yang',
  歙县: 'she xian',
  筠连: 'jun lian',
  郫都: 'pi du',
  吴堡: 'wu bu',
  黄陂: 'huang pi',
  珲春: 'hun chun',
  闵行: 'min hang',
  召陵: 'shao ling',
  略阳: 'lue yang',
  民乐: 'min le',
};
/** Characters whose pronunciation in place names differs from the dictionary's. */
export const characterReadings: Record<string, string> = { 都: 'du', 什: 'shi', 曾: 'zeng' };

/** English exonyms that differ from the pinyin. */
export const latinNames: Record<string, string> = {
  内蒙古: 'Inner Mongolia',
  西藏: 'Tibet',
  香港: 'Hong Kong',
  澳门: 'Macau',
  台湾: 'Taiwan',
  呼和浩特: 'Hohhot',
  鄂尔多斯: 'Ordos',
  呼伦贝尔: 'Hulunbuir',
  巴彦淖尔: 'Bayannur',
  乌兰察布: 'Ulanqab',
  锡林郭勒: 'Xilingol',
  兴安盟: 'Hinggan',
  阿拉善: 'Alxa',
  锡林浩特: 'Xilinhot',
  乌兰浩特: 'Ulanhot',
  二连浩特: 'Erenhot',
  哈尔滨: 'Harbin',
  齐齐哈尔: 'Qiqihar',
  拉萨: 'Lhasa',
  日喀则: 'Shigatse',
  昌都: 'Chamdo',
  林芝: 'Nyingchi',
  那曲: 'Nagqu',
  阿里: 'Ngari',
  甘孜: 'Garzê',
  阿坝: 'Ngawa',
  格尔木: 'Golmud',
  乌鲁木齐: 'Ürümqi',
  克拉玛依: 'Karamay',
  吐鲁番: 'Turpan',
  喀什: 'Kashgar',
  和田: 'Hotan',
  伊犁: 'Ili',
  阿克苏: 'Aksu',
  阿勒泰: 'Altay',
  克孜勒苏: 'Kizilsu',
  博尔塔拉: 'Bortala',
  巴音郭楞: 'Bayingolin',
  阿拉尔: 'Aral',
  库尔勒: 'Korla',
  图木舒克: 'Tumxuk',
  西沙群岛: 'Xisha Islands',
  南沙群岛: 'Nansha Islands',
  中沙群岛的岛礁及其海域: 'Zhongsha Islands',
};

/** Rough points [lng, lat] of units that are newer than the map, or have no point in it. */
export const roughPoints: Record<string, [number, number]> = {
  哈密: [93.51, 42.83],
  昆玉: [79.29, 37.21],
  胡杨河: [84.82, 44.7],
  新星: [93.74, 42.8],
  白杨: [83.0, 46.75],
  崇明: [121.4, 31.62],
};

/** Russian names of the provinces. */
export const cyrillicNames: Record<string, string> = {
  北京: 'Пекин',
  天津: 'Тяньцзинь',
  河北: 'Хэбэй',
  山西: 'Шаньси',
  内蒙古: 'Внутренняя Монголия',
  辽宁: 'Ляонин',
  吉林: 'Гирин',
  黑龙江: 'Хэйлунцзян',
  上海: 'Шанхай',
  江苏: 'Цзянсу',
  浙江: 'Чжэцзян',
  安徽: 'Аньхой',
  福建: 'Фуцзянь',
  江西: 'Цзянси',
  山东: 'Шаньдун',
  河南: 'Хэнань',
  湖北: 'Хубэй',
  湖南: 'Хунань',
  广东: 'Гуандун',
  广西: 'Гуанси',
  海南: 'Хайнань',
  重庆: 'Чунцин',
  四川: 'Сычуань',
  贵州: 'Гуйчжоу',
  云南: 'Юньнань',
  西藏: 'Тибет',
  陕西: 'Шэньси',
  甘肃: 'Ганьсу',
  青海: 'Цинхай',
  宁夏: 'Нинся',
  新疆: 'Синьцзян',
  台湾: 'Тайвань',
  香港: 'Гонконг',
  澳门: 'Макао',
};
