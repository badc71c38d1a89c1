import { App } from 'antd';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod';
import type { Endpoint, InputOf, ReplyOf } from '#contract/endpoint.ts';
import { call } from '#web/api/call.ts';
import { Fault } from '#web/api/fault.ts';
import { AskField } from './AskField.tsx';

const needed = 'password_needed';
const okId = 'proof-ok';
/** Options for the call: a missing password is reported at its field. */
export const provable = { shownHere: [needed] } as const;

/**
 * Runs calls for which the guard may require the password: the dialog asks for it only then, and repeats
 * them with it. False if the reader cancels or the password is wrong; throws Fault. `field` is the field in
 * which the call takes the password: a form that sets a password has another one.
 */
export const useProof = (
  field: 'password' | 'own_password' = 'password',
): ((run: (password?: string) => Promise<unknown>) => Promise<boolean>) => {
  const { modal, message } = App.useApp();
  const { t } = useTranslation('common');
  return useCallback(
    async (run) => {
      let wanted: string;
      try {
        await run();
        return true;
      } catch (error) {
        if (!(error instanceof Fault) || error.reason !== needed) throw error;
        wanted = error.message;
      }
      let password = '';
      const sure = await modal.confirm({
        title: t(($) => $.proof.title),
        content: (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              document.getElementById(okId)?.click();
            }}
          >
            <p>{wanted}</p>
            <AskField
              id="proof-password"
              kind="password"
              focused
              label={t(($) => $.proof.password)}
              onChange={(value) => {
                password = value;
              }}
            />
          </form>
        ),
        okText: t(($) => $.dialog.ok),
        okButtonProps: { id: okId },
        cancelText: t(($) => $.dialog.cancel),
      });
      if (!sure) return false;
      try {
        await run(password);
        return true;
      } catch (error) {
        const wrong = error instanceof Fault ? error.fields[field] : undefined;
        if (wrong === undefined) throw error;
        void message.warning(wrong);
        return false;
      }
    },
    [modal, message, t, field],
  );
};

/** Makes one call as `useProof` does. Returns its reply; false if the reader cancels or the password is wrong. */
export const useProvenCall = (field: 'password' | 'own_password' = 'password') => {
  const prove = useProof(field);
  return useCallback(
    async <Body extends z.ZodType, Reply extends z.ZodType, E extends Endpoint<Body, Reply>>(
      endpoint: E & Endpoint<Body, Reply>,
      body: InputOf<E>,
    ): Promise<ReplyOf<E> | false> => {
      let reply: ReplyOf<E> | false = false;
      await prove(async (password) => {
        const proven = Object.assign({}, body, { [field]: password });
        reply = await call<Body, Reply, E>(endpoint, proven, provable);
      });
      return reply;
    },
    [prove, field],
  );
};
