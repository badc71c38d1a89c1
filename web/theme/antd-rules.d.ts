/** Made by `web/antd-rules.ts` while the console is built. */
declare module 'virtual:antd-shared-rules' {
  type Rules = readonly [css: string, order: number, frames: Readonly<Record<string, string>>];
  /** Rules of the links and icons in every part of antd. */
  export const shared: Rules;
  export const icons: Rules;
}
