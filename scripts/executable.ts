/** What the executable starts: the gateway, or the simulator when the gateway asks for it. */
import { argv } from "node:process"

const isSimulator = argv[2] === "simulator"
await (isSimulator ? import("../simulator/main.ts") : import("../src/main.ts"))
