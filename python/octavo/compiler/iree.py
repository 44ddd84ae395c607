import subprocess
from octavo.errors import CompileError
def iree_version(): 
    from importlib.metadata import version
    return version('iree-base-compiler')
def compile_module(text,target,output,on_progress=None):
    p=output.with_suffix('.mlir'); p.write_text(text)
    r=subprocess.run(['/work/venv/bin/iree-compile',str(p),*target.flags,'-o',str(output)],capture_output=True,text=True); p.unlink()
    if r.returncode: raise CompileError(r.stderr[:2000])
