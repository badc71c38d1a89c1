import { App, ConfigProvider } from 'antd';
import type { Locale } from 'antd/es/locale/index.js';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { antdTheme } from './antd-theme.ts';
import { nonce } from './nonce.ts';
import { drawnPercent, usePrefs } from './prefs.ts';
import { dark, light } from './tokens.ts';
import { useThumb } from './use-room.ts';

const csp = { nonce };
const button = { autoInsertSpace: false };

export const ThemeProvider = ({
  localeOf,
  children,
}: {
  localeOf: (language: string) => Locale | undefined;
  children: ReactNode;
}) => {
  const { i18n } = useTranslation();
  const { scheme, density } = usePrefs();
  const textPercent = usePrefs(drawnPercent);
  const byThumb = useThumb();
  const theme = useMemo(
    () => antdTheme(scheme === 'dark' ? dark : light, scheme, density, textPercent, byThumb),
    [scheme, density, textPercent, byThumb],
  );
  const locale = localeOf(i18n.language);
  return (
    <ConfigProvider csp={csp} theme={theme} button={button} {...(locale ? { locale } : {})}>
      <App message={{ maxCount: 3 }} notification={{ placement: 'topRight', top: 64 }}>
        {children}
      </App>
    </ConfigProvider>
  );
};
