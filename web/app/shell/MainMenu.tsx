import { SettingOutlined } from '@ant-design/icons';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { Menu } from 'antd';
import { createElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSignedIn } from '#web/api/session.ts';
import { UnreadBadge } from '#web/features/messages/UnreadBadge.tsx';
import {
  homePath,
  homeScreensFor,
  parentOf,
  type SettingsPage,
  settingsFor,
  settingsPath,
  spelledAsListed,
} from '../menu.ts';

export const MainMenu = () => {
  const { t } = useTranslation('shell');
  const session = useSignedIn();
  const router = useRouter();
  const pathname = spelledAsListed(useRouterState({ select: (state) => state.location.pathname }));
  const settings = settingsFor(session);
  const link = (path: string, label: string, badge?: ReactNode) => (
    <a href={path} onClick={(event) => event.preventDefault()} tabIndex={-1}>
      {label}
      {badge}
    </a>
  );
  const itemOf = (page: SettingsPage) => ({
    key: settingsPath(page),
    ...(page.icon ? { icon: createElement(page.icon) } : {}),
    label: link(
      settingsPath(page),
      t(($) => $.settings[page.path as 'operationlog']),
    ),
  });
  const opened = settings.find((page) => settingsPath(page) === pathname);
  const items = [
    ...homeScreensFor(session.role).map(({ key, icon }) => ({
      key: homePath(key),
      icon: icon && createElement(icon),
      label: link(
        homePath(key),
        t(($) => $.menu[key]),
        key === 'news' ? <UnreadBadge /> : undefined,
      ),
    })),
    ...(settings.length === 0
      ? []
      : [
          {
            key: 'settings',
            icon: <SettingOutlined />,
            label: t(($) => $.menu.settings),
            children: [...Map.groupBy(settings, ({ group, path }) => group ?? path)].map(([key, pages]) => {
              const [only] = pages;
              return pages.length === 1 && only
                ? itemOf(only)
                : {
                    key: `group-${key}`,
                    label: t(($) => $.settingsGroup[key as 'energy']),
                    children: pages.map(itemOf),
                  };
            }),
          },
        ]),
  ];
  return (
    <Menu
      mode="inline"
      items={items}
      selectedKeys={[parentOf(pathname, session.role)]}
      defaultOpenKeys={
        pathname.startsWith('/home/configinfos')
          ? ['settings', ...(opened?.group ? [`group-${opened.group}`] : [])]
          : []
      }
      onClick={({ key }) => router.history.push(key)}
    />
  );
};
