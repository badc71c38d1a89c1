import type { FormInstance } from 'antd';
import type { ReactNode } from 'react';
import type { AlarmRow } from '#contract/alarms.ts';
import { FormDialog } from '#web/parts/FormDialog.tsx';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';

/** A dialog about one alarm, which it names, or many; closes when the act is done. */
export const AlarmDialog = <Values,>({
  only,
  initialValues,
  ...rest
}: {
  title: string;
  act: string;
  only: AlarmRow | undefined;
  form: FormInstance<Values>;
  initialValues?: object;
  /** Throws the call's fault: its fields are marked here. */
  send: (values: Values) => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}) => (
  <FormDialog
    {...rest}
    initial={initialValues ?? {}}
    about={
      only && (
        <p>
          <strong>
            <AlarmTypeName code={only.typeNumber} />
          </strong>{' '}
          · {[only.project_name, only.device_number, only.line_name].filter(Boolean).join(' · ')}
        </p>
      )
    }
  />
);
