import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Plugin } from "vite"
import { VENDOR_MARKS } from "./src/format/vendor-marks.ts"

const DRAWINGS = fileURLToPath(import.meta.resolve("@lobehub/icons-static-svg/icons/openai.svg"))
const FOLDER = join(DRAWINGS, "..")

const LICENSE = `The files in this folder are drawings of Lobe Icons (https://github.com/lobehub/lobe-icons).
The names and logos are trademarks of their owners. They only identify the providers.

MIT License

Copyright (c) 2023 LobeHub

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`

/**
 * Copies the marks of vendors into the build, one file each, so that a page only loads the marks that it shows.
 * @throws if the package has no drawing for a vendor of the table.
 */
export function vendorMarks(): Plugin {
  return {
    name: "vendor-marks",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "marks/LICENSE.txt", source: LICENSE })
      for (const [vendor, drawing] of Object.entries(VENDOR_MARKS)) {
        if (drawing === null) continue
        const source = readFileSync(join(FOLDER, `${drawing}.svg`))
        this.emitFile({ type: "asset", fileName: `marks/${vendor}.svg`, source })
      }
    },
  }
}
