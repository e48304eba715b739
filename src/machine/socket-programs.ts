/** A program of the kernel's classic BPF, ready to be attached to a socket. */
type BpfProgram = Uint8Array

type Instruction = readonly [code: number, operand: number]

const LOAD_WORD = 0x20
const ADD = 0x04
const MODULO = 0x94
const RETURN_RESULT = 0x16
/** Loading a word from here gives a random number. */
const RANDOM = 0xfffff000 + 56

/**
 * Chooses which of the sockets that share a port gets a new connection.
 * @param first index of the first one to choose from, in the order in which they began to listen.
 */
export function chooseFrom(first: number, count: number): BpfProgram {
  return assemble([
    [LOAD_WORD, RANDOM],
    [MODULO, count],
    [ADD, first],
    [RETURN_RESULT, 0],
  ])
}

function assemble(instructions: readonly Instruction[]): BpfProgram {
  const program = new DataView(new ArrayBuffer(instructions.length * 8))
  instructions.forEach(([code, operand], index) => {
    program.setUint16(index * 8, code, true)
    // Two bytes for jumps, of which there are none.
    program.setUint32(index * 8 + 4, operand, true)
  })
  return new Uint8Array(program.buffer)
}
