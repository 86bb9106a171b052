//! QuickJS-ng, natively, from bytecode: the peak memory of a barewire server or client over a number of calls. quickjs-ng
//! (server|client) BUNDLE PEER CALLS QUESTIONS: prints one JSON line. PEER is the bundle of the other side.
use rquickjs::allocator::Allocator;
use rquickjs::module::WriteOptions;
use rquickjs::{Context, Ctx, Function, Module, Runtime};
use std::alloc::Layout;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Instant;

/// Counts allocated bytes, as `malloc_size` reports them, and their maximum.
#[derive(Clone, Default)]
struct Counter {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

const HEADER: usize = 16;

impl Counter {
    fn take(&self, size: usize) {
        let now = self.now.fetch_add(size, Relaxed) + size;
        self.most.fetch_max(now, Relaxed);
    }

    unsafe fn make(&self, size: usize, zeroed: bool) -> *mut u8 {
        let layout = Layout::from_size_align_unchecked(size + HEADER, HEADER);
        let block = if zeroed { std::alloc::alloc_zeroed(layout) } else { std::alloc::alloc(layout) };
        if block.is_null() {
            return block;
        }
        (block as *mut usize).write(size);
        self.take(size);
        block.add(HEADER)
    }
}

unsafe impl Allocator for Counter {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        unsafe { self.make(size, false) }
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        if count == 0 || size == 0 {
            return std::ptr::null_mut();
        }
        unsafe { self.make(count * size, true) }
    }

    unsafe fn dealloc(&mut self, pointer: *mut u8) {
        let block = pointer.sub(HEADER);
        let size = (block as *mut usize).read();
        self.now.fetch_sub(size, Relaxed);
        std::alloc::dealloc(block, Layout::from_size_align_unchecked(size + HEADER, HEADER));
    }

    unsafe fn realloc(&mut self, pointer: *mut u8, size: usize) -> *mut u8 {
        let block = pointer.sub(HEADER);
        let before = (block as *mut usize).read();
        let moved = std::alloc::realloc(block, Layout::from_size_align_unchecked(before + HEADER, HEADER), size + HEADER);
        if moved.is_null() {
            return moved;
        }
        (moved as *mut usize).write(size);
        self.now.fetch_sub(before, Relaxed);
        self.take(size);
        moved.add(HEADER)
    }

    unsafe fn usable_size(pointer: *mut u8) -> usize {
        (pointer.sub(HEADER) as *mut usize).read()
    }
}

/// Calls between two forced collections. QuickJS-ng also collects when the heap has grown by half. 0: only then.
const COLLECTED: usize = 10;

struct Machine {
    runtime: Runtime,
    context: Context,
    counter: Counter,
    empty: usize,
    said: Rc<RefCell<VecDeque<String>>>,
}

fn bytecode(source: &str) -> Vec<u8> {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    context.with(|ctx| Module::declare(ctx, "device", source).unwrap().write(WriteOptions { strip_debug: true, strip_source: true, ..Default::default() }).unwrap())
}

impl Machine {
    fn new() -> Machine {
        let counter = Counter::default();
        let runtime = Runtime::new_with_alloc(counter.clone()).unwrap();
        let context = Context::full(&runtime).unwrap();
        runtime.run_gc();
        let empty = counter.now.load(Relaxed);
        Machine { runtime, context, counter, empty, said: Rc::new(RefCell::new(VecDeque::new())) }
    }

    fn load(&self, code: &[u8]) {
        let said = self.said.clone();
        self.context.with(|ctx| {
            let write = Function::new(ctx.clone(), move |text: String| said.borrow_mut().push_back(text)).unwrap();
            ctx.globals().set("writeLine", write).unwrap();
            let module = unsafe { Module::load(ctx.clone(), code).unwrap() };
            module.eval().unwrap();
        });
        self.settle();
    }

    fn settle(&self) {
        while self.runtime.is_job_pending() {
            self.runtime.execute_pending_job().unwrap();
        }
    }

    fn collect(&self, at: usize, every: usize) {
        if every > 0 && at % every == every - 1 {
            self.runtime.run_gc();
        }
    }

    fn call<'js>(ctx: &Ctx<'js>, name: &str) -> Function<'js> {
        ctx.globals().get(name).unwrap()
    }

    fn read(&self, text: &str) {
        self.context.with(|ctx| Self::call(&ctx, "readLine").call::<_, ()>((text,)).unwrap());
        self.settle();
    }

    fn above(&self, counted: &AtomicUsize) -> usize {
        counted.load(Relaxed).saturating_sub(self.empty)
    }
}

/// Carries lines between both until neither writes any more. Answers the server's questions if `answers`.
fn carry(server: &Machine, client: Option<&Machine>, answers: bool) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let text = server.said.borrow_mut().pop_front();
        if let Some(text) = text {
            if answers && text.contains("\"elicitation/create\"") {
                let from = text.find("\"id\":").unwrap() + 5;
                let id: String = text[from..].chars().take_while(|c| *c != ',' && *c != '}').collect();
                server.read(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"action\":\"accept\",\"content\":{{\"dry\":true}}}}}}"));
            } else if let Some(client) = client {
                client.read(&text);
            }
            all.push(text);
            continue;
        }
        let Some(client) = client else { return all };
        let text = client.said.borrow_mut().pop_front();
        match text {
            Some(text) if text.starts_with("failed") => panic!("{text}"),
            Some(text) => server.read(&text),
            None => return all,
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let collected = args.get(6).map_or(COLLECTED, |text| text.parse().unwrap());
    let calls: usize = args[4].parse().unwrap();
    let asks = args[5] == "questions";
    let code = bytecode(&read(&args[2]));
    let started = Instant::now();
    let machine = Machine::new();
    machine.load(&code);
    let loaded = machine.above(&machine.counter.now);
    machine.counter.most.store(machine.counter.now.load(Relaxed), Relaxed);
    let peer = (args[1] == "client").then(|| {
        let peer = Machine::new();
        peer.load(&bytecode(&read(&args[3])));
        peer
    });
    let (mut first, mut open, mut answered) = (0.0, 0, 0);
    let began;
    if let Some(server) = &peer {
        began = Instant::now();
        for at in 0..calls {
            machine.context.with(|ctx| Machine::call(&ctx, "step").call::<_, ()>(()).unwrap());
            machine.settle();
            carry(server, Some(&machine), false);
            machine.collect(at, collected);
            if at == 0 {
                first = started.elapsed().as_secs_f64() * 1e3;
            }
        }
        answered = machine.context.with(|ctx| Machine::call(&ctx, "done").call::<_, usize>(()).unwrap());
    } else {
        let capabilities = if asks { "{\"elicitation\":{}}" } else { "{}" };
        machine.read(&format!("{{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{capabilities},\"clientInfo\":{{\"name\":\"c\",\"version\":\"1\"}}}}}}"));
        machine.read("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        carry(&machine, None, false);
        began = Instant::now();
        for at in 0..calls {
            let (name, params) = match at % 3 {
                0 => ("set_pin", format!("\"arguments\":{{\"pin\":{},\"on\":true}}", at % 40)),
                1 => ("read_sensor", format!("\"arguments\":{{\"unit\":\"C\"}},\"_meta\":{{\"progressToken\":{at}}}")),
                _ => ("calibrate", "\"arguments\":{}".to_string()),
            };
            machine.read(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{at},\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\",{params}}}}}"));
            if asks && name == "calibrate" {
                open = open.max(machine.above(&machine.counter.most));
            }
            answered += carry(&machine, None, asks).iter().filter(|text| text.contains("\"result\":{\"content\"")).count();
            machine.collect(at, collected);
            if at == 0 {
                first = started.elapsed().as_secs_f64() * 1e3;
            }
        }
    }
    let each = began.elapsed().as_secs_f64() * 1e6 / calls as f64;
    if answered != calls {
        panic!("{answered} of {calls} calls were answered");
    }
    let most = machine.above(&machine.counter.most);
    machine.runtime.run_gc();
    println!("{{\"loaded\":{loaded},\"most\":{most},\"after\":{},\"empty\":{},\"code\":{},\"firstMs\":{first:.1},\"callUs\":{each:.0},\"collected\":{collected},\"question\":{open}}}",
        machine.above(&machine.counter.now), machine.empty, code.len());
}
