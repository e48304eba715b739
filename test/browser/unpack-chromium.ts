/** Unpacks Chromium from its package to the folder of temporary files, which is `TMPDIR`. */
import chromium from "@sparticuz/chromium"

await chromium.executablePath()
