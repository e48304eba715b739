/** A program of the kernel's classic BPF, ready to be attached to a socket. */
export type BpfProgram = Uint8Array

/** Operation, where to go on when a comparison holds and when it does not, operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number]

const LOAD_BYTE = 0x30
const LOAD_WORD = 0x20
const AND = 0x54
const ADD = 0x04
const MODULO = 0x94
const JUMP_IF_EQUAL = 0x15
const RETURN = 0x06
const RETURN_RESULT = 0x16
/** Loading a word from here gives a random number. */
const RANDOM = 0xfffff000 + 56
/** Where a TCP header has its flags. */
const FLAGS = 13
const SYN = 0x02
const ACK = 0x10
const WHOLE = 0xffffffff

/**
 * Chooses which of the sockets that share a port gets a new connection.
 * @param first index of the first one to choose from, in the order in which they began to listen.
 */
export function chooseFrom(first: number, count: number): BpfProgram {
  return assemble([
    [LOAD_WORD, 0, 0, RANDOM],
    [MODULO, 0, 0, count],
    [ADD, 0, 0, first],
    [RETURN_RESULT, 0, 0, 0],
  ])
}

/** Drops the first packet of each new connection. Its caller repeats it after a second. */
export function dropOpening(): BpfProgram {
  return assemble([
    [LOAD_BYTE, 0, 0, FLAGS],
    [AND, 0, 0, SYN | ACK],
    [JUMP_IF_EQUAL, 0, 1, SYN],
    [RETURN, 0, 0, 0],
    [RETURN, 0, 0, WHOLE],
  ])
}

function assemble(instructions: readonly Instruction[]): BpfProgram {
  const program = new DataView(new ArrayBuffer(instructions.length * 8))
  instructions.forEach(([code, ifTrue, ifFalse, operand], index) => {
    program.setUint16(index * 8, code, true)
    program.setUint8(index * 8 + 2, ifTrue)
    program.setUint8(index * 8 + 3, ifFalse)
    program.setUint32(index * 8 + 4, operand, true)
  })
  return new Uint8Array(program.buffer)
}
