import { theme as antd, type ThemeConfig } from 'antd';
import type { Palette } from './tokens.ts';

/** Minimum size of a touch target, in pixels. */
const thumbPx = 44;

/** The console's antd theme from the same palette as the sign-in screen's CSS variables. */
export const antdTheme = (
  palette: Palette,
  scheme: 'light' | 'dark',
  density: 'dense' | 'comfortable',
  textPercent: number,
  byThumb: boolean,
): ThemeConfig => {
  const scale = textPercent / 100;
  const controlHeight = byThumb ? Math.max(thumbPx, 36 * scale) : (density === 'dense' ? 30 : 36) * scale;
  return {
    algorithm: scheme === 'dark' ? antd.darkAlgorithm : antd.defaultAlgorithm,
    token: {
      colorPrimary: palette.primary,
      colorLink: palette.link,
      colorBgLayout: palette.page,
      colorBgContainer: palette.surface,
      colorBgElevated: palette.raised,
      colorText: palette.text,
      colorTextSecondary: palette.textSoft,
      colorTextTertiary: palette.textFaint,
      colorTextDescription: palette.textFaint,
      colorTextPlaceholder: palette.textFaint,
      colorBorder: palette.border,
      colorError: palette.alarm,
      colorWarning: palette.early,
      colorSuccess: palette.good,
      // Focus colour: the same as the browser-drawn focus.
      colorPrimaryBorder: palette.focus,
      // From such a dark colour antd would derive muddy notice backgrounds.
      colorErrorBg: palette.alarmSoft,
      colorSuccessBg: palette.goodSoft,
      colorSuccessBorder: palette.good,
      colorWarningBg: palette.earlySoft,
      colorWarningBorder: palette.early,
      fontFamily: 'inherit',
      fontSize: 14 * scale,
      controlHeight,
      ...(byThumb ? { controlHeightSM: controlHeight } : {}),
      borderRadius: 4,
      motion: !window.matchMedia('(prefers-reduced-motion: reduce)').matches,
    },
    components: {
      // Seven days of a week fit side by side on a phone.
      ...(byThumb ? { DatePicker: { cellWidth: 44, cellHeight: thumbPx } } : {}),
      // With a smaller text a phone zooms in on the field.
      ...(byThumb ? { Input: { inputFontSize: 16 * scale } } : {}),
      // A lighter colour would be too pale for text, and behind white text.
      Button: {
        colorPrimaryHover: palette.primaryHover,
        defaultHoverColor: palette.link,
        defaultHoverBorderColor: palette.link,
        defaultActiveColor: palette.link,
        defaultActiveBorderColor: palette.link,
        ...(scheme === 'dark' ? { dangerColor: palette.page } : {}),
      },
      Table: {
        cellPaddingBlock: density === 'dense' ? 6 : 12,
        cellPaddingInline: density === 'dense' ? 10 : 16,
        headerBg: scheme === 'dark' ? palette.raised : palette.page,
      },
      Menu: {
        ...(byThumb ? { itemHeight: 48 * scale } : {}),
        itemBg: 'transparent',
        subMenuItemBg: 'transparent',
        itemSelectedColor: palette.link,
        subMenuItemSelectedColor: palette.link,
      },
      Tabs: { itemSelectedColor: palette.link, itemHoverColor: palette.link, inkBarColor: palette.link },
      Pagination: { itemActiveColor: palette.link, itemActiveColorHover: palette.link },
      // The background of a switched-off switch, under white text.
      ...(scheme === 'light'
        ? { Switch: { colorTextQuaternary: palette.textFaint, colorTextTertiary: palette.textSoft } }
        : {}),
    },
  };
};
