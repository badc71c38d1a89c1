import { Resvg } from '@resvg/resvg-js';
import captcha from 'svg-captcha-fixed';
import { limits } from '#contract/limits.ts';
import { answerFromWorker } from '#server/core/worker.ts';
import type { Code } from './captcha.ts';

const pictureOf = (svg: string): string =>
  `data:image/png;base64,${new Resvg(svg, { fitTo: { mode: 'zoom', value: 2 } }).render().asPng().toString('base64')}`;

const makeCode = (): Code => {
  const { text, data } = captcha.create({
    size: limits.captchaDigits,
    charPreset: '0123456789',
    width: 132,
    height: 44,
    fontSize: 50,
    noise: 3,
    color: true,
    background: '#eef2f6',
  });
  return { digits: text, image: pictureOf(data), question: '' };
};

await answerFromWorker(async ({ count }: { count: number }) => Array.from({ length: count }, makeCode));
