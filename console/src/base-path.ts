/**
 * The path of the console, derived from the URL of its scripts: `/console/`, or `/ai/console/`
 * behind a proxy.
 */
export const CONSOLE_PATH = consolePath(import.meta.url)

/**
 * Returns the path of the console.
 * @param script the URL of a script of the built console. For any other URL, the path is `/console/`.
 */
export function consolePath(script: string): string {
  return /^https?:\/\/[^/]+(\/(?:.*\/)?console\/)assets\/[^/]+$/.exec(script)?.[1] ?? "/console/"
}

/**
 * Returns the browser's path for a path of the gateway: `/v1/models`, or `/ai/v1/models` behind a
 * proxy.
 */
export function gatewayPath(path: string): string {
  return `${CONSOLE_PATH.slice(0, -"/console/".length)}${path}`
}
