import react from "@vitejs/plugin-react"
import { build, type InlineConfig, type Manifest, type Plugin } from "vite"
import { vendorMarks } from "./vendor-marks.ts"

/** The build's list of its files and their dependencies. */
export type { Manifest }

/**
 * The settings of the console's build. Scripts and styles must not be inlined into the page, because the gateway's
 * content security policy allows only scripts from its own address.
 */
const SETTINGS: InlineConfig = {
  configFile: false,
  root: import.meta.dirname,
  base: "/console/",
  // The gateway inserts its base path before the addresses in the page. Scripts and styles refer to each other by
  // relative paths.
  experimental: {
    renderBuiltUrl: (_name, { hostType }) => (hostType === "html" ? undefined : { relative: true }),
  },
  plugins: [react(), vendorMarks(), withoutValidators()],
  // A catalog is one object. A name for each message would only make it larger.
  json: { namedExports: false },
  logLevel: "warn",
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name }) =>
          name.startsWith("shared") ? "assets/shared-[hash].js" : "assets/[name]-[hash].js",
        // Builds few files, so that no page waits for a chain of small files. One file contains the first page, and
        // another one everything that further pages share. Several shared files could import each other in a circle.
        codeSplitting: {
          groups: [
            { name: "start", tags: ["$initial"], priority: 2 },
            { name: "shared", minShareCount: 2 },
          ],
        },
      },
    },
  },
}

/**
 * Fails the build if the console loads zod. Pages would be 60 kB larger, and Firefox would report that the content
 * security policy blocks zod's `eval`.
 */
function withoutValidators(): Plugin {
  return {
    name: "without-validators",
    enforce: "pre",
    resolveId(source, importer) {
      if (source !== "zod") return
      const message = `${importer} loads zod. Move what the console needs from it into a module without schemas.`
      throw new Error(message)
    },
  }
}

/** Builds into `console/dist`. */
export async function buildSite(): Promise<void> {
  await build(SETTINGS)
}
