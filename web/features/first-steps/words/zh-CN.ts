import type { firstSteps as english } from './en-US.ts';

export const firstSteps: typeof english = {
  title: '快速入门',
  text: '系统尚未监控任何设备。完成以下四步即可投入使用；每一步都说明了用途，并可直接进入对应页面。',
  over: '所有步骤均已完成，运行情况请查看总览。',
  denied: '请由有权新建项目的管理员完成初始设置。',
  progress: '快速入门：已完成 {{done}}/4 步',
  all: '查看全部步骤',
  done: '已完成',
  step: {
    project: {
      name: '新建项目',
      text: '项目对应一个现场，拥有独立的管理员、时区和设备；新建项目时会同时生成项目管理员账号。',
      act: '新建第一个项目',
      see: '查看项目',
    },
    device: {
      name: '添加设备',
      text: '输入铭牌上的设备编号并选择项目。MQTT 连接密钥只显示一次，请妥善保存。',
      act: '添加第一台设备',
      see: '查看设备',
    },
    online: {
      name: '设备接入',
      text: '在设备上设置服务器地址、设备编号和密钥，设备首次上报后即显示在线。',
      act: '查看设备是否已上报',
      see: '查看设备',
    },
    rule: {
      name: '设置通知对象',
      text: '设备一上报数据，系统即按内置限值报警。设置通知规则后，无人查看控制台时也能及时通知相关人员。',
      act: '添加第一条通知规则',
      see: '查看通知规则',
    },
  },
};
