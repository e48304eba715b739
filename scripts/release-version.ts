/**
 * `npm run release:version -- TAG`: compares the version in each file with the tag of a release, such as `v0.1.0`.
 * Without a tag, it compares the files with package.json.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"

const CHART = "deploy/helm/tollgate"

/**
 * Finds files with another version.
 * @returns one line for each file.
 * @param root the folder of the checkout.
 */
export function checkVersions(root: string, tag?: string): string[] {
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  const manifest = JSON.parse(read("package.json")) as { version: string }
  const chart = parse(read(`${CHART}/Chart.yaml`)) as { version: string; appVersion: string }
  const values = parse(read(`${CHART}/values.yaml`)) as { image: { tag: string } }
  const versions: Record<string, string | undefined> = {
    "package.json": manifest.version,
    "src/runtime.ts": /VERSION = "(.+)"/.exec(read("src/runtime.ts"))?.[1],
    [`${CHART}/Chart.yaml, version`]: chart.version,
    [`${CHART}/Chart.yaml, appVersion`]: chart.appVersion,
    [`${CHART}/values.yaml, image.tag`]: values.image.tag,
  }
  for (const path of readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })) {
    if (!/\/(docker-)?compose[^/]*\.ya?ml$/.test(path)) continue
    versions[`examples/${path}`] = /ghcr\.io\/tollgate\/tollgate:(\S+)/.exec(
      read(`examples/${path}`),
    )?.[1]
  }
  const expected = tag === undefined ? manifest.version : tag.replace(/^v/, "")
  return Object.entries(versions)
    .filter(([, version]) => version !== expected)
    .map(([place, version]) => `${place}: the version is ${version}, not ${expected}`)
}

if (import.meta.main) {
  const faults = checkVersions(".", process.argv[2])
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}
