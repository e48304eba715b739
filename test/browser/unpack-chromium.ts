/** Unpacks Chromium from its package to where temporary files go, as `TMPDIR` says. */
import chromium from "@sparticuz/chromium"

await chromium.executablePath()
