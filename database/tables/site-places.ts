export interface SitePlacesTable {
  device_id: number;
  project_id: number;
  /** It measures or switches the supply of the whole site. */
  incoming: boolean;
  position: number;
}
