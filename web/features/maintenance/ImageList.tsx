import { mostMaintenanceImages } from '#contract/maintenance.ts';
import { ImageUpload } from '#web/parts/ImageUpload.tsx';

/** Several images, each replaced or removed separately. */
export const ImageList = ({
  value = [],
  onChange,
  label,
}: {
  value?: string[];
  onChange?: (ids: string[]) => void;
  label: string;
}) => (
  <div className="maintenance-uploads">
    {value.map((id, index) => (
      <ImageUpload
        key={id}
        value={id}
        label={`${label} ${index + 1}`}
        onChange={(next) => onChange?.(value.flatMap((each) => (each !== id ? [each] : next ? [next] : [])))}
      />
    ))}
    {value.length < mostMaintenanceImages && (
      <ImageUpload
        key={`new-${value.length}`}
        label={`${label} ${value.length + 1}`}
        onChange={(id) => id && !value.includes(id) && onChange?.([...value, id])}
      />
    )}
  </div>
);
