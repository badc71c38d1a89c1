import { CameraOutlined } from '@ant-design/icons';
import { Button, Modal } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** The browser's own code reader. Source: W3C Shape Detection API; TypeScript's DOM library lacks it. */
interface Detector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}
type DetectorMaker = new (options: { formats: string[] }) => Detector;
const makerOf = (): DetectorMaker | null =>
  (globalThis as { BarcodeDetector?: DetectorMaker }).BarcodeDetector ?? null;
/** The code reader and the camera exist only in a secure context. */
const canScan = (): boolean => makerOf() !== null && navigator.mediaDevices !== undefined;

const formats = ['qr_code', 'code_128', 'code_39', 'data_matrix', 'ean_13'];
const lookEveryMs = 200;

/**
 * Reads codes with the camera, if the browser can; otherwise there is no button, and the user types the code.
 */
export const ScanButton = ({ label, onScan }: { label: string; onScan: (text: string) => void }) => {
  const [open, setOpen] = useState(false);
  if (!canScan()) return null;
  return (
    <>
      <Button icon={<CameraOutlined aria-hidden />} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && (
        <Modal open title={label} footer={null} onCancel={() => setOpen(false)} destroyOnHidden>
          <Camera
            onScan={(text) => {
              setOpen(false);
              onScan(text);
            }}
          />
        </Modal>
      )}
    </>
  );
};

const Camera = ({ onScan }: { onScan: (text: string) => void }) => {
  const { t } = useTranslation('common');
  const video = useRef<HTMLVideoElement>(null);
  const [refused, setRefused] = useState(false);
  const found = useRef(onScan);
  useEffect(() => {
    found.current = onScan;
  });
  useEffect(() => {
    const maker = makerOf();
    const shown = video.current;
    if (!maker || !shown) return;
    const detector = new maker({ formats });
    let stream: MediaStream | null = null;
    let timer = 0;
    let left = false;
    const look = async () => {
      const [code] = await detector.detect(shown).catch(() => []);
      if (left) return;
      if (code) found.current(code.rawValue);
      else timer = window.setTimeout(() => void look(), lookEveryMs);
    };
    const start = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      if (left) return stop();
      shown.srcObject = stream;
      await shown.play();
      void look();
    };
    const stop = () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    start().catch(() => setRefused(true));
    return () => {
      left = true;
      window.clearTimeout(timer);
      stop();
    };
  }, []);
  if (refused) return <p role="alert">{t(($) => $.scan.refused)}</p>;
  return (
    <>
      <video ref={video} className="scan-video" muted playsInline aria-label={t(($) => $.scan.camera)} />
      <p className="soft">{t(($) => $.scan.how)}</p>
    </>
  );
};
