import { UserOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import Dropdown from 'antd/es/dropdown/dropdown.js';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { signOut, useCan, useSignedIn } from '#web/api/session.ts';
import type { ProfileTab } from '#web/features/profile/ProfileDialog.tsx';
import { late } from '#web/parts/late.tsx';
import { useGo } from '#web/parts/PathLink.tsx';
import { withWords } from '../feature.ts';
import { homePath } from '../menu.ts';

const ProfileDialog = late(
  withWords(['profile'], async () => (await import('#web/features/profile/ProfileDialog.tsx')).ProfileDialog),
);

const NoticePanel = late(
  withWords(['notices'], async () => (await import('#web/features/notices/NoticePanel.tsx')).NoticePanel),
);

export const UserMenu = ({ onKeys, onAbout }: { onKeys: () => void; onAbout: () => void }) => {
  const { t } = useTranslation('shell');
  const { nickname, username } = useSignedIn();
  const mayManage = useCan('installation.manage');
  const maySetUp = useCan('project.create');
  const [tab, setTab] = useState<ProfileTab | null>(null);
  const go = useGo();
  const open = (which: ProfileTab) => () => setTab(which);
  return (
    <>
      <Dropdown
        trigger={['click']}
        menu={{
          items: [
            { key: 'info', label: t(($) => $.user.info), onClick: open('info') },
            { key: 'password', label: t(($) => $.user.password), onClick: open('password') },
            { key: 'twoStep', label: t(($) => $.user.twoStep), onClick: open('twoStep') },
            { key: 'sessions', label: t(($) => $.user.sessions), onClick: open('sessions') },
            { key: 'notices', label: t(($) => $.user.notices), onClick: open('notices') },
            { key: 'appearance', label: t(($) => $.user.appearance), onClick: open('appearance') },
            { type: 'divider' },
            {
              key: 'information',
              label: t(($) => $.menu.information),
              onClick: () => go(homePath('information')),
            },
            {
              key: 'feedback',
              label: t(($) => $.menu.feedback),
              onClick: () => go(homePath('feedback')),
            },
            ...(mayManage
              ? [{ key: 'system', label: t(($) => $.menu.system), onClick: () => go(homePath('system')) }]
              : []),
            ...(maySetUp
              ? [
                  {
                    key: 'firststeps',
                    label: t(($) => $.menu.firststeps),
                    onClick: () => go(homePath('firststeps')),
                  },
                ]
              : []),
            { key: 'keys', label: t(($) => $.user.keys), onClick: onKeys },
            { key: 'about', label: t(($) => $.about.title), onClick: onAbout },
            { type: 'divider' },
            { key: 'out', label: t(($) => $.user.signOut), onClick: () => void signOut() },
          ],
        }}
      >
        <Button
          type="text"
          icon={<UserOutlined />}
          aria-label={t(($) => $.user.label, { name: nickname || username })}
        >
          <span className="shell-user" title={nickname || username}>
            {nickname || username}
          </span>
        </Button>
      </Dropdown>
      {tab !== null && (
        <ProfileDialog tab={tab} onTab={setTab} onClose={() => setTab(null)} notices={<NoticePanel />} />
      )}
    </>
  );
};
