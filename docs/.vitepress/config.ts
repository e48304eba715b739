import { readFileSync } from "node:fs"
import { defineConfig } from "vitepress"
import { slugOf } from "../../scripts/slug.ts"
import { SIDEBAR } from "./sidebar.ts"

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }

/** Path of the site on its host: `DOCS_BASE=/tollgate/ npm run docs`. */
const base = process.env["DOCS_BASE"] ?? "/"

const sidebar = Object.entries(SIDEBAR).map(([text, groups]) => ({
  text,
  items: groups.map((group) => ({
    text: group.text,
    items: group.items.map((item) => ({ text: item.text, link: `/${item.link}` })),
  })),
}))

/** Each section shows its own pages. */
const sidebars = Object.fromEntries(
  sidebar.map(({ text, items }) => [`/${text.toLowerCase()}/`, items]),
)

// eslint-disable-next-line import/no-default-export -- VitePress reads the default export.
export default defineConfig({
  title: "Tollgate",
  description: "A prepaid gateway to every AI model: one base URL, one API key.",
  lang: "en",
  base,
  srcDir: ".staged",
  // Copies for language models.
  srcExclude: ["public/**"],
  cleanUrls: true,
  lastUpdated: false,
  head: [["link", { rel: "icon", href: `${base}icon.svg`, type: "image/svg+xml" }]],
  markdown: {
    anchor: { slugify: slugOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  themeConfig: {
    logo: "/icon.svg",
    nav: [
      { text: "Use", link: "/use/quick-start", activeMatch: "^/use/" },
      { text: "Run", link: "/run/install", activeMatch: "^/run/" },
      { text: "Reference", link: "/reference/rest/", activeMatch: "^/reference/" },
      { text: "Contribute", link: "/contribute/contributing", activeMatch: "^/contribute/" },
      { text: "All pages", link: "/all-pages" },
      {
        text: `v${version}`,
        items: [
          { text: "Changelog", link: "/changelog" },
          { text: "Upgrade", link: "/run/upgrade" },
        ],
      },
    ],
    sidebar: { ...sidebars, "/changelog": sidebars["/contribute/"] ?? [] },
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: "https://github.com/tollgate/tollgate" }],
    footer: { message: "Apache-2.0" },
  },
})
