/** What a chart can do with its drawing surface, whatever draws on it. */
export interface CanvasHandle {
  saveImage(fileName: string): void;
}
/** Between the margins of A4 and of Letter, in pixels. */
export const paperWidth = 660;
