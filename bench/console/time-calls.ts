import { quantile } from "../statistics.ts"
import type { ConsoleCall } from "./calls.ts"

/** The management API under test. */
export interface ManagementApi {
  /** The address of the API, including its version. */
  readonly url: string
  readonly token: string
}

/** Durations of a call in milliseconds. */
export interface CallTime {
  readonly name: string
  readonly fastest: number
  readonly median: number
  readonly slowest: number
}

/**
 * Makes a call.
 * @throws Error if the call does not succeed.
 */
export async function ask(api: ManagementApi, path: string): Promise<Response> {
  const response = await fetch(`${api.url}${path}`, {
    headers: { authorization: `Bearer ${api.token}` },
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response
}

export async function askJson<ResponseBody>(
  api: ManagementApi,
  path: string,
): Promise<ResponseBody> {
  return (await (await ask(api, path)).json()) as ResponseBody
}

/** Calls that are slower than this are made more often, because they may miss the limit. */
const SLOW_MS = 60
const FEW_TIMES = 2

/** Makes a call at most the given number of times, and a fast call twice. A first call does not count. */
export async function timeCall(
  api: ManagementApi,
  { name, path }: ConsoleCall,
  times: number,
): Promise<CallTime> {
  const took: number[] = []
  for (let time = 0; time <= times; time++) {
    const begun = performance.now()
    await (await ask(api, path)).arrayBuffer()
    if (time > 0) took.push(performance.now() - begun)
    if (took.length === FEW_TIMES && Math.max(...took) < SLOW_MS) break
  }
  return summed(name, took)
}

/** Measures the time until the first byte of a file. The rest of the file is not read. */
export async function timeFile(
  api: ManagementApi,
  { name, path }: ConsoleCall,
  times: number,
): Promise<CallTime> {
  const took: number[] = []
  for (let time = 0; time <= times; time++) {
    const begun = performance.now()
    const reader = (await ask(api, path)).body?.getReader()
    await reader?.read()
    if (time > 0) took.push(performance.now() - begun)
    await reader?.cancel()
  }
  return summed(name, took)
}

interface Page {
  readonly next_cursor: string | null
}

/** Reads a list page by page. */
export async function timePages(
  api: ManagementApi,
  { name, path }: ConsoleCall,
  pages: number,
): Promise<CallTime> {
  const took: number[] = []
  let cursor: string | null = null
  for (let page = 0; page < pages; page++) {
    const begun = performance.now()
    const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const found: Page = await askJson<Page>(api, `${path}${next}`)
    took.push(performance.now() - begun)
    cursor = found.next_cursor
    if (cursor === null) break
  }
  return summed(`${name}, ${took.length} pages`, took)
}

/** @param took durations in milliseconds. */
export function summed(name: string, took: readonly number[]): CallTime {
  return {
    name,
    fastest: Math.min(...took),
    median: quantile(took, 0.5),
    slowest: Math.max(...took),
  }
}
