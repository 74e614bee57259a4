"""wasi.py PROGRAM.wasm ARGUMENT...: runs a WASI program by wasmtime, with this folder; its exit status."""
import sys
import wasmtime

engine = wasmtime.Engine()
linker = wasmtime.Linker(engine)
linker.define_wasi()
wasi = wasmtime.WasiConfig()
wasi.argv = sys.argv[1:]
wasi.inherit_stdin()
wasi.inherit_stdout()
wasi.inherit_stderr()
wasi.preopen_dir(".", ".")
store = wasmtime.Store(engine)
store.set_wasi(wasi)
program = linker.instantiate(store, wasmtime.Module.from_file(engine, sys.argv[1]))
try:
    program.exports(store)["_start"](store)
except wasmtime.ExitTrap as end:
    sys.exit(end.code)
