import { expect, it } from 'vitest';
import { isPrivateAddress } from './http.ts';

it.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254', // metadata of AWS, Google and Azure
  '100.100.100.200', // Alibaba Cloud
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle Cloud
  '198.51.100.7',
  '203.0.113.7',
  '0.0.0.0',
  '255.255.255.255',
  '::1',
  '::',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::FFFF:10.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::',
  '2001::1', // Teredo
  '2001:db8::1',
  '100::1', // discard only
  '100:0:0:1::1',
  'fc00::1',
  'fd00:ec2::254', // metadata of AWS
  'fd20:ce::254', // metadata of Google
  'fe80::1%eth0',
  'fec0::1', // site-local
  'ff02::1',
  '5f00::1',
  '3fff::1',
])('treats %s as an internal address', (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

it.each(['8.8.8.8', '1.1.1.1', '100.128.0.1', '172.32.0.1', '192.0.3.1', '2606:4700::1111', '2400:3200::1'])(
  'allows the address %s',
  (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  },
);
