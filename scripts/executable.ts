/** What the executable starts: the gateway, or the simulator when the gateway asks for it. */
if (process.argv[2] === "simulator") await import("../simulator/main.ts")
else await import("../src/main.ts")
export {}
