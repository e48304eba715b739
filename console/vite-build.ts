import react from "@vitejs/plugin-react"
import { build, type InlineConfig, type Manifest } from "vite"

/** The build's record of its files and their dependencies. */
export type { Manifest }

/**
 * How the console is built. Nothing may be inlined into the page: the gateway serves it under a policy
 * that runs scripts of its own address only.
 */
const SETTINGS: InlineConfig = {
  configFile: false,
  root: import.meta.dirname,
  base: "/console/",
  // The gateway puts its base path before the addresses in the page; scripts and styles refer to each other.
  experimental: {
    renderBuiltUrl: (_name, { hostType }) => (hostType === "html" ? undefined : { relative: true }),
  },
  plugins: [react()],
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
        // Few files, so that no page waits for a chain of small ones: one for the first page, and larger ones shared
        // by further pages.
        codeSplitting: {
          groups: [
            { name: "start", tags: ["$initial"], priority: 2 },
            {
              name: "shared",
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 40_000,
            },
          ],
        },
      },
    },
  },
}

/** Builds into `console/dist`. */
export async function buildSite(): Promise<void> {
  await build(SETTINGS)
}
