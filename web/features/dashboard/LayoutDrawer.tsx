import { ArrowDownOutlined, ArrowUpOutlined } from '@ant-design/icons';
import { App, Button, Checkbox, Drawer, Segmented } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DashboardPanel, dashboardEndpoints, dashboardPanels } from '#contract/dashboard.ts';
import type { InputOf, ReplyOf } from '#contract/endpoint.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { useReload } from '#web/api/query.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';

export type Layout = ReplyOf<typeof dashboardEndpoints.setting>;
const cycles = [0, 15, 30, 60, 300] as const;

/** The chosen panels first, in their order, then the others. */
const orderOf = (chosen: readonly DashboardPanel[]): DashboardPanel[] => [
  ...chosen,
  ...dashboardPanels.filter((panel) => !chosen.includes(panel)),
];
const moved = <Item,>(items: readonly Item[], from: number, by: 1 | -1): Item[] => {
  const next = [...items];
  const [item] = next.splice(from, 1);
  next.splice(from + by, 0, item!);
  return next;
};

type Chosen = ReadonlySet<DashboardPanel>;

const PanelOrder = ({
  order,
  chosen,
  onOrder,
  onChoose,
}: {
  order: readonly DashboardPanel[];
  chosen: Chosen;
  onOrder: (order: DashboardPanel[]) => void;
  onChoose: (chosen: Chosen) => void;
}) => {
  const { t } = useTranslation('dashboard');
  return (
    <ul className="layout-list">
      {order.map((panel, index) => {
        const name = t(($) => $.panel[panel]);
        return (
          <li key={panel}>
            <Checkbox
              checked={chosen.has(panel)}
              onChange={({ target }) =>
                onChoose(
                  new Set(target.checked ? [...chosen, panel] : [...chosen].filter((each) => each !== panel)),
                )
              }
            >
              {name}
            </Checkbox>
            <span className="page-header-gap" />
            <Button
              type="text"
              icon={<ArrowUpOutlined />}
              disabled={index === 0}
              aria-label={t(($) => $.layout.up, { panel: name })}
              onClick={() => onOrder(moved(order, index, -1))}
            />
            <Button
              type="text"
              icon={<ArrowDownOutlined />}
              disabled={index === order.length - 1}
              aria-label={t(($) => $.layout.down, { panel: name })}
              onClick={() => onOrder(moved(order, index, 1))}
            />
          </li>
        );
      })}
    </ul>
  );
};

/** The panels of the overview, their order and size, and whether pages change by themselves. */
export const LayoutDrawer = ({ layout, onClose }: { layout: Layout; onClose: () => void }) => {
  const { t } = useTranslation('dashboard');
  const { message } = App.useApp();
  const reload = useReload(dashboardEndpoints.setting);
  const confirm = useConfirm();
  useFocusBack();
  const [order, setOrder] = useState(orderOf(layout.panels));
  const [chosen, setChosen] = useState<Chosen>(new Set(layout.panels));
  const [pageSize, setPageSize] = useState(layout.page_size);
  const [cycle, setCycle] = useState(layout.cycle_s);
  const [busy, setBusy] = useState(false);

  const send = async (body: InputOf<typeof dashboardEndpoints.setting>) => {
    setBusy(true);
    await attempt(async () => {
      await call(dashboardEndpoints.setting, body);
      await reload();
      void message.success(t(($) => $.layout.saved));
      onClose();
    }).finally(() => setBusy(false));
  };
  const chosenBody = {
    panels: order.filter((panel) => chosen.has(panel)),
    page_size: pageSize,
    cycle_s: cycle,
  };
  const forEveryone = async () => {
    if (
      await confirm({
        title: t(($) => $.layout.everyone),
        content: t(($) => $.layout.everyoneNote),
        okText: t(($) => $.layout.everyone),
      })
    )
      await send({ ...chosenBody, target: 'everyone' });
  };
  return (
    <Drawer
      open
      onClose={onClose}
      title={t(($) => $.layout.title)}
      size={420}
      footer={
        <div className="layout-foot">
          <Button
            type="primary"
            loading={busy}
            disabled={chosen.size === 0}
            onClick={() => void send(chosenBody)}
          >
            {t(($) => $.layout.save)}
          </Button>
          {layout.may_set_for_everyone && (
            <Button loading={busy} disabled={chosen.size === 0} onClick={() => void forEveryone()}>
              {t(($) => $.layout.everyone)}
            </Button>
          )}
          {layout.chosen_by === 'me' && (
            <Button type="link" loading={busy} onClick={() => void send({ reset: true })}>
              {t(($) => $.layout.reset)}
            </Button>
          )}
        </div>
      }
    >
      <PanelOrder order={order} chosen={chosen} onOrder={setOrder} onChoose={setChosen} />
      <h3>{t(($) => $.layout.size)}</h3>
      <Segmented<Layout['page_size']>
        aria-label={t(($) => $.layout.size)}
        value={pageSize}
        onChange={setPageSize}
        options={(['full', 'large'] as const).map((value) => ({
          value,
          label: t(($) => (value === 'full' ? $.layout.fit : $.layout.large)),
        }))}
      />
      <h3>{t(($) => $.layout.cycle)}</h3>
      <Segmented<number>
        aria-label={t(($) => $.layout.cycle)}
        value={cycle}
        onChange={setCycle}
        options={cycles.map((value) => ({
          value,
          label: value === 0 ? t(($) => $.layout.never) : t(($) => $.layout.seconds, { count: value }),
        }))}
      />
      <p className="soft">{t(($) => $.layout.note)}</p>
    </Drawer>
  );
};
