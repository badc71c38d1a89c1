import type { FormInstance } from 'antd';
import type { ReactNode } from 'react';
import type { deviceEndpoints } from '#contract/devices.ts';
import type { InputOf } from '#contract/endpoint.ts';
import { FormDialog } from '#web/parts/FormDialog.tsx';
import { type DeviceActed, type Named, useReloadDevices } from './devices.query.ts';

/** The devices of an act, and the function that reports its result. */
export interface ActProps {
  named: Named;
  names: string;
  filter: InputOf<typeof deviceEndpoints.export>;
  onDone: (acted: DeviceActed) => void;
  onClose: () => void;
}

/** The fields of an act on several devices, then the result of each row. */
export const ActDialog = <Values extends object>({
  title,
  act,
  names,
  form,
  send,
  onDone,
  onClose,
  children,
}: {
  title: string;
  act: string;
  names: string;
  form: FormInstance<Values>;
  /** Throws the call's fault: its fields are marked here. */
  send: (values: Values) => Promise<DeviceActed>;
  onDone: (acted: DeviceActed) => void;
  onClose: () => void;
  children: ReactNode;
}) => {
  const reload = useReloadDevices();
  const save = async (values: Values) => {
    onDone(await send(values).finally(() => void reload()));
  };
  return (
    <FormDialog
      title={title}
      act={act}
      form={form}
      about={<p className="tabular">{names}</p>}
      send={save}
      onClose={onClose}
    >
      {children}
    </FormDialog>
  );
};
