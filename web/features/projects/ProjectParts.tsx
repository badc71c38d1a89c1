import { useQuery } from '@tanstack/react-query';
import { Button, Drawer, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { projectEndpoints } from '#contract/projects.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { useSubmit } from '#web/parts/use-submit.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import { useRefreshProjects } from './projects.query.ts';

const rule = zodRule(projectEndpoints.editPart.body, (values) => ({ part_id: 1, ...values }));

/** The parts of a project, to which accounts of role 32 are limited. */
export const ProjectParts = ({
  project,
  onClose,
}: {
  project: { id: number; name: string };
  onClose: () => void;
}) => {
  const { t } = useTranslation('projects');
  useFocusBack();
  const confirm = useConfirm();
  const refresh = useRefreshProjects();
  const [renaming, setRenaming] = useState<number | null>(null);
  const query = useQuery(endpointQuery(projectEndpoints.parts, { project_id: project.id }));
  const remove = async (partId: number, name: string) => {
    const isSure = await confirm({
      title: t(($) => $.part.delete, { name }),
      content: t(($) => $.part.deleteWhy),
      okText: t(($) => $.delete.act),
      danger: true,
    });
    if (!isSure) return;
    await attempt(async () => {
      await call(projectEndpoints.deletePart, { part_id: partId });
    });
    await refresh();
  };
  return (
    <Drawer open size={480} title={t(($) => $.part.title, { name: project.name })} onClose={onClose}>
      <p className="soft">{t(($) => $.part.why)}</p>
      <DataState query={query} isEmpty={({ list }) => list.length === 0} empty={t(($) => $.part.none)}>
        {({ list }) => (
          <ul className="plain-list part-list">
            {list.map(({ part_id, name, devices, users }) =>
              renaming === part_id ? (
                <li key={part_id}>
                  <PartName
                    name={name}
                    act={t(($) => $.part.rename)}
                    onSave={async (renamed) => {
                      await call(projectEndpoints.editPart, { part_id, name: renamed });
                      await refresh();
                      setRenaming(null);
                    }}
                  />
                </li>
              ) : (
                <li key={part_id}>
                  <span>
                    <strong>{name}</strong>{' '}
                    <span className="soft">{t(($) => $.part.holds, { devices, users })}</span>
                  </span>
                  <span className="part-acts">
                    <Button size="small" onClick={() => setRenaming(part_id)}>
                      {t(($) => $.part.rename)}
                    </Button>
                    <Button size="small" onClick={() => void remove(part_id, name)}>
                      {t(($) => $.delete.act)}
                    </Button>
                  </span>
                </li>
              ),
            )}
          </ul>
        )}
      </DataState>
      <PartName
        name=""
        act={t(($) => $.part.add)}
        onSave={async (name) => {
          await call(projectEndpoints.addPart, { project_id: project.id, name });
          await refresh();
        }}
      />
    </Drawer>
  );
};

const PartName = ({
  name,
  act,
  onSave,
}: {
  name: string;
  act: string;
  /** Throws the call's fault: the name is marked. */
  onSave: (name: string) => Promise<void>;
}) => {
  const { t } = useTranslation('projects');
  const [form] = Form.useForm<{ name: string }>();
  const { busy, submit: save } = useSubmit(form, async (values: { name: string }) => {
    await onSave(values.name);
    form.resetFields();
  });
  return (
    <Form form={form} initialValues={{ name }} className="part-form" onFinish={(values) => void save(values)}>
      <Form.Item name="name" rules={[rule('name')]}>
        <Input aria-label={t(($) => $.part.name)} placeholder={t(($) => $.part.name)} maxLength={60} />
      </Form.Item>
      <Button htmlType="submit" loading={busy}>
        {act}
      </Button>
    </Form>
  );
};
