/** Chinese characters are as wide as high, others about half of it. */
export const widthOf = (text: string, fontSize: number): number =>
  [...text].reduce((sum, sign) => sum + (sign > '\u2e7f' ? 1 : 0.56), 0) * fontSize;
