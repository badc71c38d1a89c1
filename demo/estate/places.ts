export type PlaceKind =
  | 'office'
  | 'factory'
  | 'dormitory'
  | 'mall'
  | 'hospital'
  | 'data_centre'
  | 'school'
  | 'hotel'
  | 'market'
  | 'warehouse'
  | 'metro_depot'
  | 'residential';

/** A project of the demo estate. Its people and telephone numbers are invented. */
export interface PlaceSeed {
  name: string;
  kind: PlaceKind;
  /** A region of level 3. */
  region_id: number;
  address: string;
  lat: number;
  lng: number;
  area_m2: number;
  contract_kw: number;
  contact_name: string;
  contact_phone: string;
  /** Parts to which a project-regional administrator can be limited. */
  parts: string[];
}

export const places: readonly PlaceSeed[] = [
  {
    name: '深圳湾创新大厦',
    kind: 'office',
    region_id: 440305,
    address: '科苑南路示范街 18 号',
    lat: 22.5206,
    lng: 113.9432,
    area_m2: 86_400,
    contract_kw: 250,
    contact_name: '陈志远',
    contact_phone: '13800000101',
    parts: ['A座 1–10层', 'A座 11–22层', 'B座', '地下车库'],
  },
  {
    name: '昆山精密电子工厂',
    kind: 'factory',
    region_id: 320583,
    address: '前进东路示范工业园 6 号',
    lat: 31.3862,
    lng: 121.0128,
    area_m2: 52_300,
    contract_kw: 400,
    contact_name: '吴建国',
    contact_phone: '13800000102',
    parts: ['1号车间', '2号车间', '3号车间', '动力站', '办公楼'],
  },
  {
    name: '江城大学东区学生宿舍',
    kind: 'dormitory',
    region_id: 420111,
    address: '珞喻路示范校区东区',
    lat: 30.5136,
    lng: 114.4125,
    area_m2: 31_800,
    contract_kw: 200,
    contact_name: '刘敏',
    contact_phone: '13800000103',
    parts: ['1号楼', '2号楼', '3号楼', '食堂'],
  },
  {
    name: '锦城里购物中心',
    kind: 'mall',
    region_id: 510107,
    address: '天府大道北段示范段 66 号',
    lat: 30.5928,
    lng: 104.0621,
    area_m2: 118_000,
    contract_kw: 320,
    contact_name: '欧阳晓峰',
    contact_phone: '13800000104',
    parts: ['负一层超市', '1–3层商铺', '4层餐饮', '5层影院'],
  },
  {
    name: '西湖康宁医院',
    kind: 'hospital',
    region_id: 330106,
    address: '文三路示范段 120 号',
    lat: 30.2783,
    lng: 120.1247,
    area_m2: 74_500,
    contract_kw: 300,
    contact_name: '沈雅琴',
    contact_phone: '13800000105',
    parts: ['门诊楼', '住院楼', '医技楼', '后勤楼'],
  },
  {
    name: '贵阳云谷数据中心',
    kind: 'data_centre',
    region_id: 520115,
    address: '长岭北路示范园区 2 号',
    lat: 26.6452,
    lng: 106.6291,
    area_m2: 22_600,
    contract_kw: 400,
    contact_name: '杨帆',
    contact_phone: '13800000106',
    parts: ['1号机房', '2号机房', '配电室', '运维楼'],
  },
  {
    name: '海淀实验小学',
    kind: 'school',
    region_id: 110108,
    address: '学院路示范胡同 9 号',
    lat: 39.9842,
    lng: 116.3526,
    area_m2: 15_200,
    contract_kw: 120,
    contact_name: '王丽华',
    contact_phone: '13800000107',
    parts: ['教学楼', '实验楼', '体育馆', '食堂'],
  },
  {
    name: '鹭岛海景酒店',
    kind: 'hotel',
    region_id: 350203,
    address: '环岛南路示范段 38 号',
    lat: 24.4391,
    lng: 118.1246,
    area_m2: 28_900,
    contract_kw: 320,
    contact_name: '林志强',
    contact_phone: '13800000108',
    parts: ['客房 2–8层', '客房 9–16层', '宴会厅', '厨房'],
  },
  {
    name: '滇池农产品批发市场',
    kind: 'market',
    region_id: 530111,
    address: '官渡示范路 200 号',
    lat: 24.9825,
    lng: 102.7513,
    area_m2: 41_700,
    contract_kw: 200,
    contact_name: '普云生',
    contact_phone: '13800000109',
    parts: ['蔬菜区', '水果区', '冷冻区', '夜市'],
  },
  {
    name: '浑南物流仓储园',
    kind: 'warehouse',
    region_id: 210112,
    address: '白塔河路示范园 5 号',
    lat: 41.7158,
    lng: 123.4627,
    area_m2: 63_000,
    contract_kw: 180,
    contact_name: '赵铁军',
    contact_phone: '13800000110',
    parts: ['1号库', '2号库', '冷库', '充电场'],
  },
  {
    name: '渝北轨道交通车辆段',
    kind: 'metro_depot',
    region_id: 500112,
    address: '金开大道示范段 1 号',
    lat: 29.6587,
    lng: 106.5489,
    area_m2: 95_600,
    contract_kw: 320,
    contact_name: '何川',
    contact_phone: '13800000111',
    parts: ['检修库', '停车列检库', '牵引变电所', '综合楼'],
  },
  {
    name: '雁塔纺织厂家属院',
    kind: 'residential',
    region_id: 610113,
    address: '小寨东路示范巷 27 号',
    lat: 34.2218,
    lng: 108.9517,
    area_m2: 37_400,
    contract_kw: 150,
    contact_name: '马秀英',
    contact_phone: '13800000112',
    parts: ['1–4号楼', '5–8号楼', '电动车棚', '沿街商铺'],
  },
];
