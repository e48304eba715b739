import { dirname, join, normalize, relative } from "node:path"

/** The target of links to files that are not pages of the site. */
const REPOSITORY = "https://github.com/tollgate/tollgate"
const BRANCH = "main"

/** Pages outside `docs` that are also on the site, with their paths on the site. */
export const ROOT_PAGES: Readonly<Record<string, string>> = {
  "ARCHITECTURE.md": "contribute/architecture.md",
  "CONTRIBUTING.md": "contribute/contributing.md",
  "STYLE.md": "contribute/style.md",
  "SECURITY.md": "run/security.md",
  "CHANGELOG.md": "changelog.md",
}

const LINK = /(!?)\[([^\]]*)\]\(([^()\s]+)\)/g
const EXTERNAL = /^(?:[a-z][a-z+.-]*:|\/\/|#)/i
const BLOCK = /(^[ \t]*```[^]*?^[ \t]*```[ \t]*$)/m

/** Returns the path of a page on the site, relative to the site's root; undefined if the page is not on the site. */
export function sitePathOf(page: string): string | undefined {
  const own = ROOT_PAGES[page]
  if (own !== undefined) return own
  if (!page.startsWith("docs/")) return undefined
  const path = page.slice("docs/".length)
  return path === "README.md" ? "all-pages.md" : path.replace(/(^|\/)README\.md$/, "$1index.md")
}

/**
 * Rewrites the links of a page for the site. Links to pages lead to their paths on the site, and links to other files
 * lead to the repository.
 */
export function withSiteLinks(text: string, page: string): string {
  // After the split, parts with odd indexes are code blocks. A link may continue on the next line.
  return text
    .split(BLOCK)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(LINK, (...groups) => siteLink(groups as string[], page)),
    )
    .join("")
}

function siteLink(
  [whole = "", image = "", label = "", target = ""]: string[],
  page: string,
): string {
  if (EXTERNAL.test(target)) return whole
  const [file = "", anchor] = target.split("#")
  const path = normalize(join(dirname(page), file))
  if (image !== "") return `![${label}](${imageAddress(path, page)})`
  const suffix = anchor === undefined ? "" : `#${anchor}`
  const site = sitePathOf(path.endsWith("/") ? `${path}README.md` : path)
  if (site !== undefined && site.endsWith(".md")) return `[${label}](/${site}${suffix})`
  return `[${label}](${REPOSITORY}/blob/${BRANCH}/${path}${suffix})`
}

function imageAddress(path: string, page: string): string {
  const shared = "docs/public"
  if (path.startsWith(`${shared}/`)) return path.slice(shared.length)
  return `./${relative(dirname(page), path)}`
}
