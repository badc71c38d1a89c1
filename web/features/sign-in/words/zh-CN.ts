export const signIn = {
  title: '登录',
  promise: '不误合一路电，不漏一条报警，事事有据可查。',
  language: '语言',
  account: '账号',
  password: '密码',
  code: '验证码',
  codeImage: '四位数字图片；下方可换成文字',
  refresh: '换一张',
  asText: '看不清图片？改用文字',
  asPicture: '改回图片',
  remember: '记住账号',
  signIn: '登录',
  /** Why the session ended that was open here. */
  why: {
    restored: '数据已从备份恢复，所有会话均已结束。账号和密码以备份中的为准。',
    expired: '登录已过期，请重新登录',
  },
  signingIn: '正在登录…',
  wait_other: '请在 {{count}} 秒后重试',
  network: '无法连接服务器，请检查网络后重试。',
  second: {
    text: '两步登录：请输入身份验证器应用显示的验证码，或一个恢复码。',
    code: '验证码',
    need: '请输入六位验证码',
    back: '返回输入密码',
  },
  need: { account: '请输入账号', password: '请输入密码', code: '请输入四位数字' },
};
