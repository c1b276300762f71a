import { describe, expect, test } from 'vitest';
import { combine, failed, ok, warning, type Finding } from '../../../../deploy/command/doctor/check.ts';
import { judgeCertificate } from '../../../../deploy/command/doctor/checks/certificates.ts';
import { judgeClocks, type OtherClock } from '../../../../deploy/command/doctor/checks/clock.ts';
import { judgePlace, type Place } from '../../../../deploy/command/doctor/checks/data-dir.ts';
import { judgeOperations } from '../../../../deploy/command/doctor/checks/database-operations.ts';
import { judgeConnectFailure, judgeServer, judgeVersions } from '../../../../deploy/command/doctor/checks/database.ts';
import { judgeDisk } from '../../../../deploy/command/doctor/checks/disk.ts';
import { judgeLookups } from '../../../../deploy/command/doctor/checks/dns.ts';
import { judgeFileSystem, typeInMountInfo } from '../../../../deploy/command/doctor/checks/file-system.ts';
import { judgeMailgun, judgeSmtp } from '../../../../deploy/command/doctor/checks/mail.ts';
import { judgeDenied } from '../../../../deploy/command/doctor/checks/nats-permissions.ts';
import { judgeNatsFailure, judgeNatsServer } from '../../../../deploy/command/doctor/checks/nats.ts';
import { judgeNode } from '../../../../deploy/command/doctor/checks/node.ts';
import { judgePorts, type PortState } from '../../../../deploy/command/doctor/checks/ports.ts';
import { isDoubled } from '../../../../deploy/command/doctor/reach/controller-watch.ts';

const DAY_MS = 86_400_000;
const MB = 1_048_576;
/** Worst status and messages of findings. */
const shown = (findings: Finding[]) => {
  const { status, message } = combine(findings, 'fine');
  return [status, message];
};

test('findings combine to the worst one, failures first, and each hint once', () => {
  expect(combine([], 'fine')).toEqual(ok('fine'));
  const findings = [warning('slow', 'Do this.'), failed('gone', 'Do that.'), failed('lost', 'Do this.')];
  expect(combine(findings, 'fine')).toEqual({ status: 'failed', message: 'gone; lost; slow', hint: 'Do that. Do this.' });
});

test('an old Node.js has failed', () => {
  expect(judgeNode('20.19.0', '1.0.0')).toEqual(ok('Farwatch 1.0.0 on Node.js 20.19.0'));
  expect(judgeNode('18.20.0', '1.0.0')).toMatchObject({ status: 'failed', message: expect.stringContaining('20.19') as string });
});

test.each<[freeMegabytes: number, megabytes: number, freeFiles: number, status: Finding['status']]>([
  [500_000, 1_000_000, 1e6, 'ok'], [45_000, 1_000_000, 1e6, 'ok'], [15_000, 1_000_000, 1e6, 'warning'],
  [900, 2000, 1e6, 'warning'], [63, 2000, 1e6, 'failed'], [5000, 10_000, 900, 'warning'], [5000, 10_000, 9, 'failed'],
])('%i of %i MB and %i files free: %s', (free, all, freeFiles, status) => {
  expect(judgeDisk({ freeBytes: free * MB, bytes: all * MB, freeFiles, files: 2e6 }, '/data').status).toBe(status);
});

test('a disk without a limit of files is not full of them', () => {
  expect(judgeDisk({ freeBytes: 9e12, bytes: 9e12, freeFiles: 0, files: 0 }, '/data').status).toBe('ok');
});

describe('a data directory', () => {
  const place: Place = { path: '/data', uid: 7, mode: 0o40700, isDirectory: true, refusal: null };

  test.each<[Partial<Place>, string, string]>([
    [{}, 'ok', 'fine'],
    [{ mode: 0o40755 }, 'ok', 'fine'],
    [{ mode: 0o40777 }, 'warning', 'Every user of this host can change /data'],
    [{ refusal: 'EROFS' }, 'failed', '/data is on a disk that is mounted read-only'],
    [{ refusal: 'EACCES' }, 'failed', '/data belongs to user 7 and cannot be used by user 5 (EACCES)'],
  ])('%j is %s', (difference, ...expected) => {
    expect(shown(judgePlace({ ...place, ...difference }, 5))).toEqual(expected);
  });

  test('is on the file system of the nearest mount point, the last of those at one place', () => {
    const info = [
      '20 1 8:1 / / rw - ext4 /dev/sda rw', '21 20 0:5 / /srv rw shared:1 - xfs /dev/sdb rw',
      '22 21 0:6 / /srv/my\\040data rw - nfs4 nas:/x rw', '23 20 0:7 / /over rw - ext4 a rw', '24 23 0:8 / /over rw - tmpfs b rw', '',
    ].join('\n');
    const types = ['/srv/my data/x', '/srv/my data', '/srv/mine', '/srvx', '/over/x'].map((path) => typeInMountInfo(info, path));
    expect(types).toEqual(['nfs4', 'nfs4', 'xfs', 'ext4', 'tmpfs']);
    expect(typeInMountInfo('', '/')).toBeNull();
  });

  test.each([
    ['ext4', true, 'ok'], ['overlay', true, 'ok'], ['fuseblk', true, 'ok'], [null, true, 'ok'], ['nfs4', true, 'failed'],
    ['cifs', true, 'failed'], ['9p', true, 'failed'], ['fuse.sshfs', true, 'failed'], ['nfs', false, 'warning'], ['fuse.bindfs', true, 'warning'],
  ])('on %s, with the database in it: %s, is %s', (type, hasStore, status) => {
    expect(shown(judgeFileSystem(type, '/data', hasStore))[0]).toBe(status);
  });
});

test('two controllers have one id if an earlier start comes back; a restart does not', () => {
  const doubled = [[], ['a'], ['a', 'b'], ['a', 'b', 'a']].map((lives) => isDoubled({ lives }));
  expect(doubled).toEqual([false, false, false, true]);
});

describe('a database', () => {
  test.each<[object, string, string]>([
    [{ maxWireVersion: 21 }, 'ok', 'fine'],
    [{ maxWireVersion: 21, setName: 'rs', isWritablePrimary: true }, 'ok', 'fine'],
    [{ maxWireVersion: 21, setName: 'rs', isWritablePrimary: false }, 'failed', 'The replica set rs has no primary'],
    [{ maxWireVersion: 21, msg: 'isdbgrid' }, 'failed', 'The database is a sharded cluster, behind a mongos, which Farwatch does not support'],
    [{ maxWireVersion: 8 }, 'failed', 'The database is older than MongoDB 4.4'],
  ])('%j is %s', (hello, ...expected) => {
    expect(shown(judgeServer(hello))).toEqual(expected);
  });

  test('with controllers of other versions is a warning', () => {
    expect(judgeVersions([{ version: '1.1.0' }], '1.1.0')).toEqual([]);
    const versions = [{ version: '1.1.0' }, { version: null }, { version: '0.9.0' }];
    expect(shown(judgeVersions(versions, '1.1.0'))).toEqual(
      ['warning', 'Controllers of other versions run on this database: an older version, 0.9.0; this is 1.1.0'],
    );
  });

  test.each([
    [Object.assign(new Error('Authentication failed.'), { code: 18 }), 'refuses the user or password'],
    [new Error('connect ECONNREFUSED 127.0.0.1:1'), 'refuses connections'],
    [new Error('self-signed certificate'), 'no secure connection'],
    [new Error('Server selection timed out after 5000 ms'), 'is unreachable: Server selection'],
    [Object.assign(new Error('timed out'), { reason: { servers: new Map([['a', { error: new Error('read ECONNREFUSED') }]]) } }), 'refuses connections: read'],
  ])('that fails with %s has failed', (error, text) => {
    expect(judgeConnectFailure(error)).toMatchObject({ status: 'failed', message: expect.stringContaining(text) as string });
  });

  test('that gives another result than MongoDB has failed', () => {
    expect(judgeOperations([]).status).toBe('ok');
    expect(judgeOperations([{ name: 'count', error: null }, { name: 'upsert', error: null }]).message)
      .toBe("The database does not do everything that Farwatch needs: count, upsert (the results differ from MongoDB's)");
  });
});

test('a replica set named in MONGODB_URL, a public name and a mail server are missing or cannot be looked up', () => {
  const lookup = { host: 'a.example', variables: ['BASE_URL'] };
  expect(judgeLookups([{ ...lookup, failure: null }])).toEqual(ok('All names have an address: a.example'));
  expect(judgeLookups([{ ...lookup, failure: 'missing' }]).message).toBe('There is no address for a.example (BASE_URL)');
  expect(judgeLookups([{ ...lookup, failure: 'unreachable' }]).message).toContain('No name server responds');
});

describe('NATS', () => {
  test.each<[object, string]>([
    [{}, 'ok'], [{ version: '2.9.10' }, 'warning'], [{ jetstream: undefined }, 'warning'], [{ max_payload: 1000 }, 'failed'],
  ])('with %j is %s', (difference, status) => {
    const info = { version: '2.11.0', jetstream: true, max_payload: 1_048_576, ...difference };
    expect(shown(judgeNatsServer('nats:4222', info))[0]).toBe(status);
  });

  test.each([
    ['AUTHORIZATION_VIOLATION', "'Authorization Violation'", "refuses the controller's credentials"],
    ['CONNECTION_REFUSED', 'connect ECONNREFUSED', 'does not respond at nats:4222'],
    ['', 'nats cannot be looked up', 'unreachable'],
    ['', '/x.nk holds neither NATS credentials nor an nkey seed', 'cannot be read'],
  ])('that fails with %s %s has failed', (code, message, text) => {
    const finding = judgeNatsFailure('nats:4222', Object.assign(new Error(message), { code }), true);
    expect(finding).toMatchObject({ status: 'failed', message: expect.stringContaining(text) as string });
  });

  test('that denies subjects has failed, with the pattern of each', () => {
    expect(judgeDenied([])).toEqual([]);
    const denied = [{ operation: 'publish', subject: 'raw.mark' }, { operation: 'subscription', subject: 'poke.99' }] as const;
    expect(shown(judgeDenied(denied))[1]).toBe("The controllers' NATS user may not publish raw.>, and may not subscribe to poke.>");
  });
});

describe('a clock', () => {
  const clock = (offsetMs: number, precisionMs = 0): OtherClock => ({ name: 'nats', offsetMs, precisionMs, isOnThisHost: false });

  test.each<[OtherClock[], number, string, string]>([
    [[], 0, 'ok', 'There is no other clock to compare with'],
    [[clock(900), clock(-900)], 0, 'ok', 'The clock agrees with nats, nats'],
    [[{ ...clock(9), isOnThisHost: true }], 0, 'ok', 'The clock agrees with nats; there is none on another host to compare with'],
    [[clock(1900, 1000)], 0, 'ok', 'The clock agrees with nats'],
    [[clock(2500)], 0, 'warning', 'The clock of this host is 2.5 s behind that of nats'],
    [[clock(-40_000), clock(0)], 0, 'failed', 'The clock of this host is 40 s ahead of that of nats'],
    [[clock(0)], -700, 'warning', 'The clock of this host jumped by 0.7 s while it was checked'],
  ])('%j and a jump of %i ms is %s', (others, jumpMs, ...expected) => {
    const { status, message } = judgeClocks(others, jumpMs);
    expect([status, message]).toEqual(expected);
  });
});

test.each<[object, string, string]>([
  [{}, 'ok', 'fine'],
  [{ validTo: 13.5 * DAY_MS }, 'warning', 'The certificate of a.example expires in 13 days, on 1970-01-14'],
  [{ validTo: -1 }, 'failed', 'The certificate of a.example expired on 1969-12-31'],
  [{ validFrom: DAY_MS }, 'failed', 'The certificate of a.example is valid only from 1970-01-02 on'],
  [{ wrongName: 'is b.example' }, 'failed', 'The certificate of a.example is for another name: is b.example'],
  [{ untrusted: 'SELF_SIGNED' }, 'failed', 'The certificate of a.example is not trusted (SELF_SIGNED)'],
])('a certificate with %j is %s', (difference, ...expected) => {
  const facts = { validFrom: -DAY_MS, validTo: 60 * DAY_MS, wrongName: null, untrusted: null, ...difference };
  expect(shown(judgeCertificate('a.example', facts, 0))).toEqual(expected);
});

describe('a mail server', () => {
  test.each([
    ['connect', null, 'failed'], ['tls', null, 'failed'], ['login', 535, 'failed'], ['login', 454, 'warning'],
    ['sender', 553, 'failed'], ['recipient', 451, 'warning'], ['recipient', 550, 'failed'],
  ] as const)('that refuses at %s with %s is %s', (step, code, status) => {
    expect(judgeSmtp({ step, code, text: 'no' }, 'mail.example', 'a@b.example').status).toBe(status);
  });

  test.each([[400, 'ok'], [401, 'failed'], [404, 'failed'], [null, 'failed'], [503, 'warning']] as const)(
    'at Mailgun that responds with %s is %s', (code, status) => {
      expect(judgeMailgun({ status: code, text: '' }, 'a.example').status).toBe(status);
    },
  );
});

describe('a port', () => {
  const state: PortState = {
    host: '0.0.0.0', port: 3000, hostVariable: 'HOST', portVariable: 'PORT', refusal: null, isFarwatch: false, isRunning: false,
  };
  const held = { refusal: 'EADDRINUSE' };

  test.each<[Partial<PortState>, string, string]>([
    [{}, 'ok', 'Ports free: 3000'],
    [{ ...held, isFarwatch: true, isRunning: true }, 'ok', 'Ports held by this Farwatch: 3000'],
    [{ isRunning: true }, 'warning', 'Farwatch runs, but does not listen on 0.0.0.0, port 3000'],
    [{ ...held, isFarwatch: true }, 'failed', 'Another Farwatch listens on 0.0.0.0, port 3000'],
    [held, 'failed', 'Another program listens on 0.0.0.0, port 3000'],
    [{ refusal: 'EACCES' }, 'failed', 'This user may not listen on 0.0.0.0, port 3000'],
    [{ refusal: 'EADDRNOTAVAIL' }, 'failed', 'This host does not have the address 0.0.0.0'],
  ])('with %j is %s', (difference, ...expected) => {
    const { status, message } = judgePorts([{ ...state, ...difference }]);
    expect([status, message]).toEqual(expected);
  });
});
