/** Stream that all browsers have, and that TypeScript knows from 5.1 on. */
declare class DecompressionStream {
  constructor(format: string);
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}
