import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { contentPolicyOf } from './content-policy.ts';

const policyOf = (environment: Record<string, string>): Record<string, string[]> =>
  Object.fromEntries(
    contentPolicyOf(readConfig(environment).map)('n0nce')
      .split('; ')
      .map((directive) => {
        const [name, ...sources] = directive.split(' ');
        return [name, sources];
      }),
  );

test('without an external map no other host is allowed', () => {
  expect(policyOf({})).toEqual({
    'default-src': ["'self'"],
    'script-src': ["'self'", "'nonce-n0nce'"],
    'style-src': ["'self'", "'nonce-n0nce'"],
    'style-src-attr': ["'unsafe-inline'"],
    'font-src': ["'self'"],
    'img-src': ["'self'", 'data:', 'blob:'],
    'connect-src': ["'self'"],
    'worker-src': ["'self'", 'blob:'],
    'frame-ancestors': ["'none'"],
    'base-uri': ["'none'"],
  });
});

test('street tiles allow images of their host and no script', () => {
  const policy = policyOf({ MAP_TILE_URL: 'https://t.example.org/{z}/{x}/{y}.png?key=k' });
  expect(policy['img-src']).toContain('https://t.example.org');
  expect(policy['connect-src']).toContain('https://t.example.org');
  expect(policy['script-src']).toEqual(["'self'", "'nonce-n0nce'"]);
});

const script = {
  MAP_SCRIPT_URL: 'https://maps.example.org/api?key=k&callback={callback}',
  MAP_SCRIPT_PROVIDER: 'amap',
  MAP_SCRIPT_HOSTS: 'https://*.example.com',
};
test('a provider\u2019s script may load from its own and the named hosts, but may not compile scripts from text', () => {
  const policy = policyOf(script);
  for (const directive of ['script-src', 'style-src', 'font-src', 'img-src', 'connect-src'])
    expect(policy[directive]).toEqual(
      expect.arrayContaining(['https://maps.example.org', 'https://*.example.com']),
    );
  expect(policy['script-src']).not.toContain("'unsafe-eval'");
  expect(policy['style-src']).not.toContain("'unsafe-inline'");
  expect(policy['script-src']).not.toContain("'unsafe-inline'");
});

test('scripts from text are allowed only if the setting says so', () => {
  expect(policyOf({ ...script, MAP_SCRIPT_EVAL: '1' })['script-src']).toContain("'unsafe-eval'");
  expect(policyOf({ MAP_SCRIPT_EVAL: '1' })['script-src']).not.toContain("'unsafe-eval'");
});
