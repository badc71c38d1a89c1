import { Button, Drawer, Form, type FormInstance } from 'antd';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFocusBack } from './use-focus-back.ts';
import { useSubmit } from './use-submit.ts';
import { useUnsaved } from './use-unsaved.ts';

/** The form stays mounted after its drawer closes, so it is reset to its initial values when the drawer opens again. */
const Start = ({ form, open }: { form: Pick<FormInstance, 'resetFields'>; open: boolean }) => {
  useLayoutEffect(() => {
    if (open) form.resetFields();
  }, [form, open]);
  return null;
};

/** A form in a drawer: keeps typed values on error, marks fields, and warns before unsaved work is left. */
export const FormDrawer = <Values extends object>({
  open,
  title,
  form,
  initial,
  first,
  saveText,
  refusal = null,
  onSave,
  onClose,
  children,
}: {
  open: boolean;
  title: string;
  form: FormInstance<Values>;
  initial: Partial<Values>;
  /** The field with the initial focus. */
  first?: keyof Values & string;
  saveText?: string;
  /** Why it cannot be saved now. */
  refusal?: string | null;
  /**
   * Throws the call's fault: its fields are marked here. When it returns, the drawer closes by `onClose`;
   * `false` keeps it open, because the reader cancelled. If saving leads to another address, it returns a
   * function that goes there: going earlier would ask about unsaved work.
   */
  onSave: (values: Values) => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}) => {
  const { t } = useTranslation('common');
  useFocusBack();
  const refusalId = useId();
  // A ref, because saving closes by an address change before the next rendering.
  const dirty = useRef(false);
  const mayLeave = useUnsaved(() => open && dirty.current, { onAnyChange: true });

  const close = async () => {
    if (dirty.current && !(await mayLeave())) return;
    dirty.current = false;
    onClose();
  };
  const { busy, submit } = useSubmit(form, async (values) => {
    const leave = await onSave(values);
    if (leave === false) return;
    dirty.current = false;
    onClose();
    if (typeof leave === 'function') leave();
  });
  return (
    <Drawer
      open={open}
      title={title}
      size={480}
      destroyOnHidden
      afterOpenChange={(isOpen) => {
        if (isOpen && first !== undefined) form.getFieldInstance(first)?.focus();
      }}
      onClose={() => void close()}
      footer={
        <div className="drawer-foot">
          <Button onClick={() => void close()}>{t(($) => $.dialog.cancel)}</Button>
          {refusal !== null && (
            <span id={refusalId} className="soft">
              {refusal}
            </span>
          )}
          <Button
            type="primary"
            loading={busy}
            disabled={refusal !== null}
            aria-describedby={refusal === null ? undefined : refusalId}
            onClick={() => form.submit()}
          >
            {saveText ?? t(($) => $.dialog.save)}
          </Button>
        </div>
      }
    >
      <Form
        form={form}
        layout="vertical"
        initialValues={initial}
        scrollToFirstError
        onValuesChange={() => {
          dirty.current = true;
        }}
        onFinish={(values) => refusal === null && void submit(values)}
      >
        {children}
        <Start form={form} open={open} />
      </Form>
    </Drawer>
  );
};
