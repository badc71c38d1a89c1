import { SettingOutlined } from '@ant-design/icons';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { Menu } from 'antd';
import { createElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSignedIn } from '../../api/session.ts';
import { UnreadBadge } from '../../features/messages/UnreadBadge.tsx';
import { homePath, homeScreensFor, settingsFor, settingsPath } from '../menu.ts';

/** Details of a device belong to the device list, lines too; the screens of a project to the projects. */
const parentOf: Readonly<Record<string, string>> = {
  '/home/devicedetails': '/home/devicelist',
  '/home/linelist': '/home/devicelist',
  '/home/configinfo/earlywarning': '/home/projectlist',
  '/home/configinfo/warningnotice': '/home/projectlist',
};

export const MainMenu = () => {
  const { t } = useTranslation('shell');
  const session = useSignedIn();
  const router = useRouter();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const settings = settingsFor(session);
  const link = (path: string, label: string, badge?: ReactNode) => (
    <a href={path} onClick={(event) => event.preventDefault()} tabIndex={-1}>
      {label}
      {badge}
    </a>
  );
  const items = [
    ...homeScreensFor(session.role).map(({ key, icon }) => ({
      key: homePath(key),
      icon: createElement(icon),
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
            children: settings.map((page) => ({
              key: settingsPath(page),
              ...(page.icon ? { icon: createElement(page.icon) } : {}),
              label: link(
                settingsPath(page),
                t(($) => $.settings[page.path as 'operationlog']),
              ),
            })),
          },
        ]),
  ];
  return (
    <Menu
      mode="inline"
      items={items}
      selectedKeys={[parentOf[pathname] ?? pathname]}
      defaultOpenKeys={pathname.startsWith('/home/configinfos') ? ['settings'] : []}
      onClick={({ key }) => router.history.push(key)}
    />
  );
};
