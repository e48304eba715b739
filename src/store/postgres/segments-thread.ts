import { serveMethods } from "../threads/thread-server.ts"
import { openSegments } from "./segments-on-demand.ts"

serveMethods(openSegments)
