import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { dropText, type KeptText } from './kept-texts.ts';
import './outbox.css';
import { useRefusalWords } from './use-refusal-words.ts';

/** Texts written offline that were not sent yet or were refused, on every screen. */
export const OutboxNote = ({ texts }: { texts: readonly KeptText[] }) => {
  const { t } = useTranslation('alarms');
  return (
    <aside className="outbox" role="status">
      <strong>{t(($) => $.outbox.title, { count: texts.length })}</strong>
      <ul>
        {texts.map((text) => (
          <li key={text.id}>
            <PathLink to={paths.alarm(text.id)}>
              <AlarmTypeName code={text.typeNumber} />
            </PathLink>{' '}
            {text.where} · <KeptTextState text={text} />
            {text.refused !== null && (
              <Button size="small" onClick={() => void dropText(text)}>
                {t(($) => $.outbox.discard)}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </aside>
  );
};

/** The text, when it was written, and its state. */
export const KeptTextState = ({ text }: { text: KeptText }) => {
  const { t } = useTranslation('alarms');
  const wordsOf = useRefusalWords();
  return (
    <>
      <strong className={text.refused === null ? 'is-early' : 'is-alarm'}>
        {text.refused === null
          ? t(($) => $.outbox.waits)
          : t(($) => $.outbox.refused, { reason: wordsOf(text.refused) })}
      </strong>{' '}
      · {t(($) => $.outbox.written)} <TimeText at={text.written_at} kind="time" />
      <div>«{text.content}»</div>
    </>
  );
};
