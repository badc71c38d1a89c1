const megabyte = 1024 * 1024;

/** Free space required to make a cluster, and to start one. */
export const spaceForNew = 400 * megabyte;
export const spaceForStart = 64 * megabyte;

/**
 * Settings for durability (an acknowledged reading survives kill -9 and power loss), steady inserts on a
 * small machine, and little memory: database and server together stay below 300 MB.
 */
export const defaultSettings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '96MB',
  effective_cache_size: '768MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  wal_buffers: '8MB',
  max_wal_size: '2GB',
  min_wal_size: '256MB',
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',
  random_page_cost: '1.1',
  jit: 'off',
  huge_pages: 'off',
  io_method: 'sync', // avoids idle I/O worker processes
  max_parallel_workers: '2',
  autovacuum_max_workers: '2',
  autovacuum_naptime: '30s',
  autovacuum_work_mem: '32MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
  log_min_messages: 'log', // leaves out statement errors: the application logs those itself
};
