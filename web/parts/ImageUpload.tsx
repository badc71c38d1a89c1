import { UploadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sentence } from '#contract/faults/codes.ts';
import { limits } from '#contract/limits.ts';
import { uploadEndpoints } from '#contract/uploads.ts';
import { refusalOf } from '#web/api/attempt.ts';
import { imageAddress, upload } from '#web/api/upload.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { noteUpload } from './running-uploads.ts';

/** One image of at most 2 MB, photographed or chosen; it is stored at once, and the value is its id. */
export const ImageUpload = ({
  value = null,
  onChange,
  label,
  disabled = false,
}: {
  value?: string | null | undefined;
  onChange?: (imageId: string | null) => void;
  /** Description of the image. */
  label: string;
  disabled?: boolean;
}) => {
  const { t } = useTranslation('common');
  const picker = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [flaw, setFlaw] = useState<string | null>(null);

  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > limits.imageBytes) return setFlaw(sentence('upload.tooLarge', currentLanguage()));
    setFlaw(null);
    setBusy(true);
    const sending = refusalOf(async () => {
      const { image_id } = await upload(uploadEndpoints.image, { file }, { quiet: true });
      onChange?.(image_id);
    }).finally(() => setBusy(false));
    noteUpload(sending.then((refused) => refused === null));
    const refusal = await sending;
    if (refusal) setFlaw(`${t(($) => $.uploadFailed)} ${refusal.fields['file'] ?? refusal.message}`);
  };
  return (
    <div className="image-upload">
      {value !== null && <img src={imageAddress(value)} alt={label} />}
      <input
        ref={picker}
        className="file-picker"
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        aria-label={label}
        onChange={(event) => {
          void take(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      {!disabled && (
        <Button icon={<UploadOutlined />} loading={busy} onClick={() => picker.current?.click()}>
          {t(($) => (value === null ? $.image.choose : $.image.replace))}
        </Button>
      )}
      {!disabled && value !== null && (
        <Button onClick={() => onChange?.(null)}>{t(($) => $.image.remove)}</Button>
      )}
      {flaw && (
        <span role="alert" className="is-alarm">
          {flaw}
        </span>
      )}
    </div>
  );
};
