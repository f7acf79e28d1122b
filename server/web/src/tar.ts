// Several files travel as one: a tar archive, which the server reads as the folder they came from.

const block = 512;

/** pack makes the archive. The files stay where they are until the browser sends them. */
export function pack(files: File[]): Blob {
  const parts: BlobPart[] = [];
  for (const file of files) parts.push(header(file.name, file.size), file, new Uint8Array((block - (file.size % block)) % block));
  return new Blob([...parts, new Uint8Array(2 * block)]);
}

/** header describes a file as POSIX has it; a name that is too long or not plain loses its middle, never its extension. */
function header(name: string, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(block);
  const put = (at: number, text: string): void => bytes.set(new TextEncoder().encode(text), at);
  const octal = (n: number, width: number): string => n.toString(8).padStart(width - 1, "0") + "\0";
  put(0, fitting(name));
  put(100, octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12) + "        0");
  put(257, "ustar\x0000");
  put(148, octal(bytes.reduce((sum, b) => sum + b, 0), 7) + " ");
  return bytes;
}

/** fitting is a name of at most a hundred bytes. */
function fitting(name: string): string {
  const length = (text: string): number => new TextEncoder().encode(text).length;
  if (length(name) <= 100) return name;
  const extension = /(\.\w{1,8}){0,2}$/.exec(name)![0];
  const stem = Array.from(name.slice(0, name.length - extension.length));
  while (length(stem.join("") + extension) > 100) stem.pop();
  return stem.join("") + extension;
}
