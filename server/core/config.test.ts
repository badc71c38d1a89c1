import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StartError } from '#database/start-error.ts';
import { readConfig } from './config.ts';

test('without any variable the console and the broker listen on this machine only', () => {
  expect(readConfig({})).toMatchObject({
    http: { port: 8080, host: '127.0.0.1' },
    mqtt: { port: 1883, host: '127.0.0.1' },
    databaseUrl: undefined,
    mqttUrl: undefined,
    demo: undefined,
    captcha: true,
    role: 'all',
    trustProxy: false,
    tls: undefined,
  });
  expect(readConfig({}).dataDir).toMatch(/^\/.*\/data$/);
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: ' ', DEMO: '' })).toEqual(readConfig({}));
});

test('each variable sets its value', () => {
  expect(
    readConfig({
      PORT: '0',
      HOST: '0.0.0.0',
      MQTT_PORT: '0',
      MQTT_HOST: '::',
      DATA_DIR: '/srv/data',
      DATABASE_URL: 'postgres://a@b/c',
      MQTT_URL: 'mqtts://b:8883',
      ADMIN_PASSWORD: 'secret1',
      DEMO: '0',
      CAPTCHA: 'off',
      ROLE: 'link',
      PUBLIC_URL: 'https://console.example.org/',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      TLS_CERT: 'a.pem',
      TLS_KEY: 'b.pem',
      MAP_TILE_URL: 'https://t.example.org/{z}/{x}/{y}.png',
      MAP_TILE_CRS: 'gcj02',
    }),
  ).toMatchObject({
    http: { port: 0, host: '0.0.0.0' },
    mqtt: { port: 0, host: '::' },
    dataDir: '/srv/data',
    databaseUrl: 'postgres://a@b/c',
    mqttUrl: 'mqtts://b:8883',
    adminPassword: 'secret1',
    demo: false,
    captcha: false,
    role: 'link',
    publicUrl: 'https://console.example.org',
    trustProxy: ['10.0.0.0/8', '::1'],
    tls: { certFile: 'a.pem', keyFile: 'b.pem' },
    map: { tileUrl: 'https://t.example.org/{z}/{x}/{y}.png', tileCrs: 'gcj02' },
  });
});

test.each([
  ['true', 1],
  ['2', 2],
  ['0', false],
  ['', false],
])('TRUST_PROXY=%s trusts a number of proxies, never any address that a caller names', (text, trusted) => {
  expect(readConfig({ TRUST_PROXY: text }).trustProxy).toBe(trusted);
});

test.each([
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '8080x'],
  ['HOST', 'http://localhost'],
  ['MQTT_PORT', '1e3'],
  ['DATABASE_URL', 'mysql://localhost/a'],
  ['DATABASE_URL', 'localhost:5432'],
  ['MQTT_URL', 'https://broker'],
  ['ADMIN_PASSWORD', 'short'],
  ['DEMO', 'yes'],
  ['CAPTCHA', 'false'],
  ['ROLE', 'worker'],
  ['PUBLIC_URL', 'console.example.org'],
  ['TRUST_PROXY', 'nginx'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['MAP_TILE_CRS', 'bd09'],
  ['MAP_SCRIPT_URL', 'https://maps.example.org/api?key=k'],
  ['MAP_SCRIPT_PROVIDER', 'bing'],
  ['MAP_SCRIPT_HOSTS', 'https://maps.example.org/path'],
  ['MAP_SCRIPT_HOSTS', "https://a.example.org 'unsafe-inline'"],
  ['MAP_SCRIPT_EVAL', 'yes'],
  ['MAP_TILE_URL', 'https://tiles.example.org/'],
  ['MAP_TILE_URL', 'https://{s}.example.org/{z}/{x}/{y}.png'],
])('a wrong %s (%s) is refused in one sentence that names it', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(StartError);
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be [^\\n]+\\.$`));
});

test('a map script needs both its address and its provider', () => {
  const MAP_SCRIPT_URL = 'https://maps.example.org/api?key=k&callback={callback}';
  expect(() => readConfig({ MAP_SCRIPT_URL })).toThrow(/^MAP_SCRIPT_PROVIDER must be set too/);
  expect(() => readConfig({ MAP_SCRIPT_PROVIDER: 'amap' })).toThrow(/^MAP_SCRIPT_URL must be set too/);
  expect(
    readConfig({
      MAP_SCRIPT_URL,
      MAP_SCRIPT_PROVIDER: 'amap',
      MAP_SCRIPT_HOSTS: 'https://*.example.org, https://tiles.example.com:8443',
      MAP_SCRIPT_EVAL: '1',
      MAP_SCRIPT_SECURITY: 'code',
    }).map.script,
  ).toEqual({
    url: MAP_SCRIPT_URL,
    provider: 'amap',
    hosts: ['https://*.example.org', 'https://tiles.example.com:8443'],
    eval: true,
    security: 'code',
  });
});

test('the error sentence does not repeat secrets', () => {
  expect(() => readConfig({ ADMIN_PASSWORD: 'abc' })).not.toThrow(/abc/);
  expect(() => readConfig({ DATABASE_URL: 'mysql://u:hush@h/d' })).not.toThrow(/hush/);
});

test('a variable that needs another one is refused without it', () => {
  expect(() => readConfig({ TLS_CERT: 'a.pem' })).toThrow(/^TLS_KEY must be set too/);
  expect(() => readConfig({ TLS_KEY: 'a.pem' })).toThrow(/^TLS_CERT must be set too/);
  expect(() => readConfig({ ROLE: 'web' })).toThrow(/^ROLE=web needs DATABASE_URL/);
});

test('any environment gives a configuration or one error sentence', () => {
  const names = ['PORT', 'HOST', 'DATABASE_URL', 'TRUST_PROXY', 'ROLE', 'PUBLIC_URL', 'DEMO', 'TLS_KEY'];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), fc.string()), (environment) => {
      try {
        const { port } = readConfig(environment).http;
        expect(Number.isInteger(port) && port >= 0 && port <= 65_535).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(StartError);
      }
    }),
  );
});
