import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { LogSettings } from "../config/sections/log.ts"
import { checkAddress } from "../wire/http/pinned-fetch.ts"
import { type Check, checkOf } from "../management/check.ts"
import { endpointOf } from "../wire/bucket/bucket-request.ts"

/** Checks whether the destinations of the request log are reachable. Nothing is written or sent. */
export async function checkLines({ file, http, bucket }: LogSettings): Promise<Check[]> {
  const addresses = [
    ...(http ? [checkPlace("log.http", http.url, http.allowsPrivate)] : []),
    ...(bucket ? [checkPlace("log.s3", endpointOf(bucket.place), bucket.allowsPrivate)] : []),
  ]
  return [...(file ? [checkFile(file.path)] : []), ...(await Promise.all(addresses))]
}

function checkFile(path: string): Check {
  const check = checkOf("log.file")
  try {
    let place = path
    while (!existsSync(place)) place = dirname(place)
    accessSync(place, constants.W_OK)
    const isRight = place === path ? statSync(place).isFile() : statSync(place).isDirectory()
    if (isRight) return check.ok(path)
    return check.failed(
      `${place} is not a ${place === path ? "file" : "folder"}`,
      "choose another path",
    )
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    return check.failed(found, "choose a writable path")
  }
}

/**
 * Checks whether a destination is reachable.
 * @param address may contain a secret, so only its host is shown.
 */
async function checkPlace(name: string, address: string, allowsPrivate: boolean): Promise<Check> {
  const check = checkOf(name)
  const url = new URL(address)
  try {
    await checkAddress(url, allowsPrivate)
    return check.ok(url.host)
  } catch (error) {
    const found = `${url.host}: ${error instanceof Error ? error.message : String(error)}`
    const fix = `correct its address, or add 'private: true' if it is in your own network`
    return check.failed(found, fix)
  }
}
