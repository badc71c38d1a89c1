import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { signOut } from '#web/api/session.ts';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { TwoStepTab } from './TwoStepTab.tsx';
import './profile.css';

/**
 * Instead of the console, while the role requires a second step that is not set up: the server refuses
 * everything else.
 */
export const TwoStepDue = () => {
  const { t } = useTranslation('profile');
  return (
    <main className="two-step-due">
      <PageHeader title={t(($) => $.twoStep.tab)}>
        <Button onClick={() => void signOut()}>{t(($) => $.sessions.end)}</Button>
      </PageHeader>
      <TwoStepTab />
    </main>
  );
};
