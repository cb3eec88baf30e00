import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'

/** How many processor cores this process may use: those it is bound to, within the quota of its control groups. */
export function cores (root = '/'): number {
  return Math.max(1, Math.min(availableParallelism(), Math.floor(quota(root))))
}

/** The smallest quota of the control groups that this process is in, in cores; Infinity if there is none. */
export function quota (root = '/'): number {
  const groups = read(join(root, 'proc/self/cgroup')).split('\n').map(line => line.split(':'))
  return Math.min(Infinity, ...groups.flatMap(([id = '', controllers = '', path = '/']) => {
    if (id === '0' && controllers === '') return upwards(join(root, 'sys/fs/cgroup'), path).map(quotaV2)
    if (controllers.split(',').includes('cpu')) return upwards(join(root, 'sys/fs/cgroup', 'cpu'), path).map(quotaV1)
    return []
  }))
}

/** A group's folder and the folders above it. In a container only the root of the mount may be visible. */
function upwards (mount: string, path: string): string[] {
  const folders = [mount]
  for (let at = path; at !== '/' && at !== '.' && at !== ''; at = dirname(at)) folders.push(join(mount, at))
  return folders
}

function quotaV2 (folder: string): number {
  const [quota = 'max', period = '100000'] = read(join(folder, 'cpu.max')).trim().split(' ')
  return quota === 'max' || quota === '' ? Infinity : Number(quota) / Number(period)
}

function quotaV1 (folder: string): number {
  const quota = Number(read(join(folder, 'cpu.cfs_quota_us')) || -1)
  const period = Number(read(join(folder, 'cpu.cfs_period_us')) || 100_000)
  return quota > 0 ? quota / period : Infinity
}

function read (file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // not Linux, or no such group
  }
}
