export interface TooltipRow {
  name: string;
  value: string;
  colour: string;
}
/** Text of a tooltip as elements: names of devices and lines are never interpreted as HTML. */
export const tooltipOf = (title: string, rows: readonly TooltipRow[], remark = ''): HTMLElement => {
  const made = document.createElement('div');
  made.className = 'chart-tooltip';
  const head = document.createElement('strong');
  head.textContent = title;
  made.append(head);
  for (const { name, value, colour } of rows) {
    const [dot, label, number] = [
      document.createElement('i'),
      document.createElement('span'),
      document.createElement('b'),
    ];
    dot.style.backgroundColor = colour;
    label.textContent = name;
    number.textContent = value;
    made.append(dot, label, number);
  }
  if (remark !== '') {
    const note = document.createElement('em');
    note.textContent = remark;
    made.append(note);
  }
  return made;
};
