import { type Cluster, namesOf } from './cluster.ts';
import type { Ground } from './ground.ts';

export interface Mark {
  element: HTMLButtonElement;
  cluster: Cluster;
  remove: () => void;
}
interface MarkWords {
  /** Degrees of longitude below which two marks overlap. */
  apart: number;
  /** Name of a mark for screen readers. */
  labelOf: (cluster: Cluster) => string;
  onPick: (ids: readonly number[]) => void;
}

/** With more marks, names would hide the map. */
const mostNamed = 60;
/** Space for a name under its mark, in sizes of a mark. */
const nameRoom = { across: 2.6, down: 1.1 };

/**
 * Whether the name of a single place has space under its mark: no other mark, and so no other name, is near.
 */
const hasRoom = (cluster: Cluster, clusters: readonly Cluster[], apart: number): boolean =>
  cluster.places.length === 1 &&
  clusters.length <= mostNamed &&
  clusters.every(
    (other) =>
      other === cluster ||
      Math.abs(other.lng - cluster.lng) > nameRoom.across * apart ||
      Math.abs(other.lat - cluster.lat) > nameRoom.down * apart,
  );

const makeMark = (ground: Ground, cluster: Cluster, onPick: MarkWords['onPick']): Mark => {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = 'map-mark';
  const mark: Mark = { element, cluster, remove: ground.mark(element, cluster, 'centre') };
  element.addEventListener('click', (event) => {
    event.stopPropagation();
    onPick(mark.cluster.places.map(({ id }) => id));
  });
  // The keyboard also reaches invisible marks.
  element.addEventListener('focus', () => ground.reveal(mark.cluster));
  return mark;
};

/** Shows the number of a mark's places, or the name of a single one if there is space. */
const dress = ({ element, cluster }: Mark, named: boolean): void => {
  const { places, worst } = cluster;
  element.classList.remove('is-worst-0', 'is-worst-1', 'is-worst-2');
  element.classList.add(`is-worst-${worst}`);
  element.classList.toggle('is-many', places.length > 1);
  element.title = namesOf(cluster);
  const name = document.createElement('span');
  name.className = 'map-name';
  name.textContent = places[0]?.name ?? '';
  element.replaceChildren(...(places.length > 1 ? [String(places.length)] : named ? [name] : []));
};

/** Adds new marks and removes old ones; those that stay keep their element, and with it the focus. */
export const renewMarks = (
  marks: Map<number, Mark>,
  ground: Ground,
  clusters: readonly Cluster[],
  { apart, labelOf, onPick }: MarkWords,
): void => {
  const kept = new Set(clusters.map(({ key }) => key));
  for (const [key, { remove }] of marks)
    if (!kept.has(key)) {
      remove();
      marks.delete(key);
    }
  for (const cluster of clusters) {
    const old = marks.get(cluster.key);
    const moved = old && (old.cluster.lat !== cluster.lat || old.cluster.lng !== cluster.lng);
    if (moved) old.remove();
    const mark = old && !moved ? old : makeMark(ground, cluster, onPick);
    mark.cluster = cluster;
    dress(mark, hasRoom(cluster, clusters, apart));
    mark.element.setAttribute('aria-label', labelOf(cluster));
    marks.set(cluster.key, mark);
  }
};
