import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { SIDEBAR, type SidebarGroup } from "../../docs/.vitepress/sidebar.ts"
import { OPENAPI_FILE } from "../openapi-file.ts"
import { pages } from "../pages.ts"
import { apiPages, type OpenApi } from "./api-pages.ts"
import { llmsFull, llmsIndex, type ReadPage } from "./llms.ts"
import { sitePathOf, withSiteLinks } from "./site-paths.ts"

const ROOT = join(import.meta.dir, "../..")
const STAGED = join(ROOT, "docs/.staged")
const HOME = join(ROOT, "docs/.vitepress/home.md")
/** Pages that are not in the sidebar, because an overview page links to them. */
const UNLISTED = /^(?:contribute\/(?:adding|decisions|wire)\/(?!index)|index$|all-pages$)/

/** Prepares the pages of the site in `docs/.staged`. @returns a line for each fault */
export function stageSite(): string[] {
  rmSync(STAGED, { recursive: true, force: true })
  const staged = new Map<string, string>()
  for (const page of pages(ROOT)) {
    const path = sitePathOf(page)
    if (path === undefined) continue
    staged.set(path, withSiteLinks(readFileSync(join(ROOT, page), "utf8"), page))
  }
  const document = JSON.parse(readFileSync(OPENAPI_FILE, "utf8")) as OpenApi
  const api = apiPages(document)
  for (const { name, text } of api) staged.set(`reference/rest/${name}.md`, text)
  const list = api.map(({ name, title }) => `- [${title}](./${name}.md)`).join("\n")
  staged.set("reference/rest/index.md", `${API_INDEX}\n${list}\n`)
  staged.set("index.md", readFileSync(HOME, "utf8"))
  for (const [path, text] of staged) write(path, text)
  cpSync(join(ROOT, "docs/public"), join(STAGED, "public"), { recursive: true })
  cpSync(join(ROOT, "docs/contribute/benchmark"), join(STAGED, "contribute/benchmark"), {
    recursive: true,
  })
  cpSync(OPENAPI_FILE, join(STAGED, "public/openapi.json"))
  writeLanguageModelFiles(staged)
  return unlistedPages(staged)
}

const API_INDEX = `# API reference

Every endpoint and field, made from
[openapi.json](https://github.com/tollgate/tollgate/blob/main/openapi.json), which a running gateway serves at
\`/openapi.json\` too. [API conventions](../api.md) has headers, limits and versions.
`

function write(path: string, text: string): void {
  const file = join(STAGED, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Writes the files for language models. Also copies each page as Markdown, because llms.txt links to the copies. */
function writeLanguageModelFiles(staged: ReadonlyMap<string, string>): void {
  const sections = new Map<string, ReadPage[]>()
  for (const [section, groups] of Object.entries(SIDEBAR)) {
    const read = linksOf(groups).map((address) => {
      const text = staged.get(`${address}.md`) ?? staged.get(`${address}/index.md`) ?? ""
      return { address, title: /^# (.+)$/m.exec(text)?.[1] ?? address, text }
    })
    sections.set(section, read)
    for (const { address, text } of read) write(`public/${address}.md`, text)
  }
  write("public/llms.txt", llmsIndex(sections))
  write("public/llms-full.txt", llmsFull(sections))
}

/** Returns the pages that have no entry in the sidebar, and the entries that have no page. */
function unlistedPages(staged: ReadonlyMap<string, string>): string[] {
  const listed = new Set(Object.values(SIDEBAR).flatMap(linksOf))
  const addresses = [...staged.keys()].map((path) => path.replace(/(?:\/index)?\.md$/, ""))
  const unlisted = addresses.filter(
    (address) => !listed.has(address) && !UNLISTED.test(address) && !isApiPage(address),
  )
  const missing = [...listed].filter((address) => !addresses.includes(address))
  return [
    ...unlisted.map((address) => `docs/.vitepress/sidebar.ts has no entry for ${address}`),
    ...missing.map(
      (address) => `docs/.vitepress/sidebar.ts names ${address}, which does not exist`,
    ),
  ]
}

function isApiPage(address: string): boolean {
  return address.startsWith("reference/rest/")
}

function linksOf(groups: readonly SidebarGroup[]): string[] {
  return groups.flatMap(({ items }) => items.map(({ link }) => link))
}
